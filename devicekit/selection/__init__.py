"""A request becomes a plan: which device, and why."""
