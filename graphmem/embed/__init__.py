"""The embedders: each turns texts into unit vectors."""
