"""Several devices, several processes, several machines: set up on the engines that exist, with the reason.

`cluster` reads what the environment says of the processes that belong together, `strategy_plan` decides, `making` carries
that out, and `workers`, `launching` and what they use start processes that belong together.
"""
