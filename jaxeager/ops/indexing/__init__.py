"""Elements by their place: brackets, gather and scatter, masks, search."""
