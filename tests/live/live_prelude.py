"""The start of every program that the live tests run, and which TensorFlow they run on."""

import pytest

import devicekit

#: It has one name for both TensorFlows, and can split the CPU into logical devices.
PRELUDE = """
import json, os, sys, warnings
import tensorflow as tf
V1 = tf.__version__.startswith("1.")
config = tf.config.experimental if V1 else tf.config
def split_cpu(count=3):
    cpu = config.list_physical_devices("CPU")[0]
    if V1:
        config.set_virtual_device_configuration(cpu, [config.VirtualDeviceConfiguration() for _ in range(count)])
    else:
        config.set_logical_device_configuration(cpu, [config.LogicalDeviceConfiguration() for _ in range(count)])
"""

_tensorflow = devicekit.diagnose().framework("tensorflow")  # None where Keras is on another framework
_version = _tensorflow.version if _tensorflow is not None else None
VERSION = tuple(int(part) for part in (_version or "2.0").split(".")[:2])
only_tf1 = pytest.mark.skipif(VERSION >= (2, 0), reason="TensorFlow 1.15's graphs and sessions")
only_tf2 = pytest.mark.skipif(VERSION < (2, 0), reason="TensorFlow 2's eager execution")
