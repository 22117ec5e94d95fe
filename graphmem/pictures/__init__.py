"""Pictures of what the memory holds: SVG and HTML by ourselves, PNG by matplotlib (extra `pictures`)."""
