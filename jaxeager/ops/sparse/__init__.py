"""The rows that paddle.sparse records."""
