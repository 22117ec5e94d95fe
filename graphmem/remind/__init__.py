"""Reminders: from text to due."""
