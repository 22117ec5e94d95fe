"""How facts change: states, nomination and verdict, review."""
