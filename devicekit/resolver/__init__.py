"""Which releases work together: the ways to a goal, the search, and what stands in the way. Pure.

The search itself is resolvelib's. What it knows of releases is the bundled data.
"""
