"""Many machines: their snapshots are gathered, each is judged, and what is unlike the others is named.

`files`, `running` and `ray_nodes` gather; `fingerprint` leaves out what only tells one machine from another, so that machines
that are alike are judged once; `judging` groups and compares, and is pure; `examining` has the public function.
"""
