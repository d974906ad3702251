"""Which devices and processes train together, and how they are set up."""
