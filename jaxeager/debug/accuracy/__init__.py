"""Captured calls, replayed with random inputs here and in other libraries: docs/accuracy.md."""
