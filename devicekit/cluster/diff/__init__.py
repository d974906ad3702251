"""What changed between two machines, and which change explains the difference in what is found. Pure.

`walk` finds the places at which two machines differ and puts some of them back; `subjects` says them in words and puts
together what belongs together; `causes` finds by experiment what is responsible; `comparing` has the public function.
"""
