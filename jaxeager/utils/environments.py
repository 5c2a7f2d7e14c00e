"""paddle.utils.environments: environment variables that have a type."""

from __future__ import annotations

import os
from typing import Generic, TypeVar

from jaxeager.errors import InvalidArgumentError

T = TypeVar("T")


def strtobool(val: str) -> bool:
    """Return the truth value of a text.

    Args:
        val: "y", "yes", "t", "true", "on", "1", or "n", "no", "f", "false", "off", "0".

    Raises:
        InvalidArgumentError: for another text.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.utils.strtobool("yes")
        True
    """
    text = str(val).lower()
    if text in ("y", "yes", "t", "true", "on", "1"):
        return True
    if text in ("n", "no", "f", "false", "off", "0"):
        return False
    raise InvalidArgumentError(f"Invalid truth value {val!r}")


class EnvironmentVariable(Generic[T]):
    """A variable of the environment of this process; the base of those with a type.

    Args:
        name: its name.
        default: its value while the environment has none.

    Raises:
        AssertionError: for a default of another type.

    Example:
        >>> from jaxeager.utils.environments import IntegerEnvironmentVariable
        >>> depth = IntegerEnvironmentVariable("SOME_DEPTH", 3)
        >>> depth.set(4); depth
        Env(SOME_DEPTH=4)
        >>> depth.delete(); depth.get()
        3
    """

    kind: type = object
    called = "a value"

    def __init__(self, name: str, default: T):
        self._check(default, "default")
        self.name, self.default = name, default

    def _check(self, value: object, role: str) -> None:
        is_other = isinstance(value, bool) and self.kind is int
        assert isinstance(value, self.kind) is not is_other, f"{role} must be {self.called}"

    def get(self) -> T:
        """Return the value of now."""
        return self.parse_from_string()

    def set(self, value: T) -> None:
        """Give the environment a value."""
        os.environ[self.name] = self.convert_to_string(value)

    def delete(self) -> None:
        """Remove the variable from the environment.

        Raises:
            KeyError: when the environment does not have it.
        """
        del os.environ[self.name]

    def parse_from_string(self) -> T:
        """Return the value that the text of the environment means."""
        raise NotImplementedError

    def convert_to_string(self, value: T) -> str:
        """Return the text of a value."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"Env({self.name}={self.get()!r})"


class StringEnvironmentVariable(EnvironmentVariable[str]):
    """A variable that is a text."""

    kind, called = str, "a string"

    def parse_from_string(self) -> str:
        """Return the text."""
        return os.getenv(self.name, self.default)

    def convert_to_string(self, value: str) -> str:
        """Return the text."""
        self._check(value, "value")
        return value


class BooleanEnvironmentVariable(EnvironmentVariable[bool]):
    """A variable that is true or false; ``bool`` of it raises, as its value is ``get()``."""

    kind, called = bool, "a boolean"

    def parse_from_string(self) -> bool:
        """Return the truth value of the text, as ``strtobool`` reads it."""
        return strtobool(os.getenv(self.name, str(self.default)))

    def convert_to_string(self, value: bool) -> str:
        """Return "true" or "false"."""
        self._check(value, "value")
        return str(value).lower()

    def __bool__(self) -> bool:
        raise ValueError(
            "BooleanEnvironmentVariable does not support bool(), please use get() instead."
        )


class IntegerEnvironmentVariable(EnvironmentVariable[int]):
    """A variable that is a whole number; any other text means the default."""

    kind, called = int, "an integer"

    def parse_from_string(self) -> int:
        """Return the number."""
        try:
            return int(os.getenv(self.name, str(self.default)))
        except ValueError:
            return self.default

    def convert_to_string(self, value: int) -> str:
        """Return the digits."""
        self._check(value, "value")
        return str(value)


class StringListEnvironmentVariable(EnvironmentVariable[list[str]]):
    """A variable that is a list of texts, with commas between them."""

    kind, called = list, "a list"

    def parse_from_string(self) -> list[str]:
        """Return the parts between commas."""
        return os.getenv(self.name, ",".join(self.default)).split(",")

    def convert_to_string(self, value: list[str]) -> str:
        """Return the texts with commas between them."""
        self._check(value, "value")
        assert all(isinstance(each, str) for each in value), "value must be a list of strings"
        return ",".join(value)


class EnvironmentVariableGuard(Generic[T]):
    """Set a variable now, and its previous value when the ``with`` block ends.

    Args:
        variable: the variable.
        value: its value in the block.

    Example:
        >>> from jaxeager.utils.environments import (
        ...     BooleanEnvironmentVariable, EnvironmentVariableGuard)
        >>> switch = BooleanEnvironmentVariable("SOME_SWITCH", False)
        >>> with EnvironmentVariableGuard(switch, True):
        ...     switch.get()
        True
        >>> switch.get()
        False
    """

    def __init__(self, variable: EnvironmentVariable[T], value: T):
        self.variable, self.original_value = variable, variable.get()
        variable.set(value)

    def __enter__(self) -> EnvironmentVariableGuard[T]:
        return self

    def __exit__(self, *error: object) -> None:
        self.variable.set(self.original_value)
