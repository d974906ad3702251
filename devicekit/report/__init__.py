"""Reports: text for a terminal, plain data for JSON, HTML for notebooks. They lay out and escape, and decide nothing."""
