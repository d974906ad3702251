"""What a device really computes, and how fast: numerics, benchmarks, tuning, batch sizes."""
