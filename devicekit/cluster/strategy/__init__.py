"""Which devices and processes train together, and how they are set up.

`cluster_environment` reads which processes belong together, `strategy_plan` decides, `strategy` carries that out.
"""
