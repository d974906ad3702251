"""A function of arrays: called on each device, with its gradients."""
