"""Does a device compute what the CPU computes? Measures, tolerances, operations, layers and training steps.

`devicekit.compare` and ``devicekit verify --numerics`` are made of these; `docs/explanation/numerics.md` says how numbers are
judged.
"""
