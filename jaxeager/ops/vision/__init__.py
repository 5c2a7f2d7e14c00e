"""Images: resizing, grids, boxes."""
