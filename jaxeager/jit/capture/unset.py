"""UNSET: represents the value of a variable or attribute that is not set."""

UNSET: object = type("Unset", (), {"__repr__": lambda self: "<not set>"})()
