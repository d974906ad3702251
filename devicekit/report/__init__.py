"""Reports of records: text for a terminal, plain data for JSON, HTML for pages and notebooks."""
