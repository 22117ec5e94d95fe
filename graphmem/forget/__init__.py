"""Tiers, decay and upkeep."""
