"""Other libraries' faces on a graphmem memory, so that a program written for them runs by changing an import."""
