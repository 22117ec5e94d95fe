"""Passwords, keys, tokens, card numbers: recognised, kept only on request, masked where they are shown (R2.10)."""
