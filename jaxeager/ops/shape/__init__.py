"""Ops that change the shape of tensors: reshape, join, tile, strided views, diagonals."""
