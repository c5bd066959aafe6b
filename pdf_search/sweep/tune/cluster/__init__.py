"""Parts of the session that concern several machines."""
