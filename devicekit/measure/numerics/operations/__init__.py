"""The suite of operations: what is computed, by which framework, and the verdict on it."""
