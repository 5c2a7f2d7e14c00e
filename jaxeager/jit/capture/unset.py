"""UNSET: represents the value of a variable or attribute that is not set."""

from typing import Any

UNSET: Any = type("Unset", (), {"__repr__": lambda self: "<not set>"})()
