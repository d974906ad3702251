"""A plan becomes a process: apply it, try it, check it; scopes, and the adapters of the frameworks."""
