"""What goes with what: bundled data, typed rows, and questions to them."""
