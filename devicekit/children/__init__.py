"""The one way to start a process, read its answer, and end its whole tree."""
