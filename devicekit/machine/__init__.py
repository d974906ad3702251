"""What is on this machine: facts, the probes that read them, and the one I/O boundary."""
