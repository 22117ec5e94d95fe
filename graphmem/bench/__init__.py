"""`graphmem bench`: speed and memory on a generated but lifelike household."""
