"""Exclusive use of devices among the processes and users of one machine, by locks that the kernel frees.

From the bottom up: `folder` (where the locks lie), `locks` (one lock), `records` (what is written beside a lock), `schedule`
(who is next; pure), `waiting` (the queue), `taking` (`devicekit.lease`), `exclusive` (for `devicekit.auto`), `listing` (who
holds what).
"""
