"""Reports as HTML: one description of each result, rendered as a page or as a fragment for a notebook."""
