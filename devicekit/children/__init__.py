"""The one way to start a process, read its answer, and end its whole tree.

`call.run_child` runs a function in a fresh process; `spawn` starts any process; `process_tree` ends what was started.
"""
