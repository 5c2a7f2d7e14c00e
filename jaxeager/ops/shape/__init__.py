"""The same elements in another shape: reshape, join, tile, views by strides, diagonals."""
