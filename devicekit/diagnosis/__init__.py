"""Findings: rules, candidate devices, and what each framework will do."""
