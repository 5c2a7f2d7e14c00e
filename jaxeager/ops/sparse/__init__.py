"""What paddle.sparse records."""
