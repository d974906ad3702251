"""`devicekit launch`: processes on this machine that train together.

`launch_plan` decides and says with `ports` what each process gets, `supervisor` runs them, and
`output_relay` passes on what they print.
"""
