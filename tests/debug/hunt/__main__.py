"""Writes the table of docs/hunt.md: ``python -m tests.debug.hunt``."""

from tests.debug.hunt.page import write

write()
