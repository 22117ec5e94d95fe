"""What a named reader may see (R7.3): the memory as it is for one reader, and the memory as the owner has it."""
