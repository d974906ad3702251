"""What to do about a finding of a log: computed from the line, the framework, the system, the GPU and the versions. Pure."""
