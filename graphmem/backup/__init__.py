"""Backup and restore: one portable file that needs no database engine to be read (docs/backup.md)."""
