"""`devicekit launch`: processes on this machine that train together.

`launch_plan` decides, `worker_environment` and `ports` say what each process gets, `supervisor` runs them, and
`output_relay` passes on what they print.
"""
