"""What changed between two machines, and which change explains the difference in the findings. Pure.

`change_groups` finds the places at which two machines differ, can undo some of them, groups and describes them;
`causes` finds the responsible ones by experiment; `compare_machines` has the public function.
"""
