"""Readers for chat logs, one file a format."""
