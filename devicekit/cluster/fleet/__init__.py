"""Many machines: collects their snapshots, diagnoses each, and finds the odd ones out.

`files` and `ray_nodes` collect; `groups` leaves out what only identifies a machine, so that equal machines are diagnosed once,
groups and compares, and is pure; `examine` has the public function.
"""
