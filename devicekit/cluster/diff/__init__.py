"""What changed between two machines, and which change explains the difference in the findings. Pure.

`walk` finds the places at which two machines differ, and can undo some of them; `change_groups` groups and describes them;
`causes` finds the responsible ones by experiment; `compare_machines` has the public function.
"""
