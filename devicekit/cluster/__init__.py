"""Several devices, processes and machines: leases, launch, strategies, fleets and differences."""
