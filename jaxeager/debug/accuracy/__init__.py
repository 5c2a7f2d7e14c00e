"""Captured calls run again with random inputs, here and elsewhere: docs/accuracy.md."""
