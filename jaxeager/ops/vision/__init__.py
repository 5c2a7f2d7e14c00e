"""Image ops: resizing, grids, boxes."""
