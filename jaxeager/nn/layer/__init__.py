"""The layers of paddle.nn, one family per file."""
