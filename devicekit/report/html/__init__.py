"""Reports as HTML: one description of each result, rendered as a page of its own or as a fragment for a notebook."""
