"""Search spaces as YAML files, read by ``pdf_search.space``; no code."""
