"""The one door for writes: extraction, linking, planning, writing."""
