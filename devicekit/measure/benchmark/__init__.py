"""How fast is a device? Models that people know, the loop around them, and what is kept of the figures."""
