"""A Keras model: each layer alone, and the whole, on each device."""
