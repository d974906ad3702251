"""Drawings of measurements: throughput, errors against their tolerance, divergence over steps, gains of tuning.

Pure: from the same frozen types as the reports. matplotlib is imported when something is drawn, without pyplot.
"""
