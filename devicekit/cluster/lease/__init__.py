"""Exclusive use of devices among the processes and users of one machine, by locks that the kernel frees.

From the bottom up: `folder` (where the locks are), `locks` (one lock), `holder_records` (the note next to a lock),
`schedule` (who is next; pure), `queue` (waiting in order), `eligible_devices` (what would do), `lease` (`devicekit.lease`),
`exclusive` (for `devicekit.auto`), `listing` (who holds what).
"""
