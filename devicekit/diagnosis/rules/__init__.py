"""Rules: pure functions from a `View` of the machine to findings, one code each.

A rule that needs an unknown fact is "not evaluated, because"; a rule that raises is reported the same way and stops
nothing. `registry` collects the rules, `devicekit.diagnosis.diagnose` runs them.
"""
