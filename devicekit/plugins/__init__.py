"""Platforms that plug-ins add: accelerators that devicekit itself knows nothing of.

A plug-in is an installed distribution with an entry point in the group ``devicekit.platforms``, which names a subclass of
`devicekit.Platform`. `interface` is what it implements; `discovery` finds it, `asking` runs its probe, `judging` its
rules, and whatever it does wrong becomes a finding.
"""
