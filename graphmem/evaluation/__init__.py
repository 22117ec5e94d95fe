"""An owner's own questions: how often a memory, or another embedder, finds what they ask for."""
