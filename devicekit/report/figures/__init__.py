"""Figures of measurements: throughput, errors and tolerances, divergence of training, gains of tuning.

matplotlib is imported when something is drawn, without pyplot.
"""
