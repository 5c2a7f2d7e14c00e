"""Names that count up: ``linear_0``, ``linear_1``, ... and the guards that restart the count.

All threads share the counters. A guard swaps them for fresh ones and restores the old ones.
"""

import contextlib
from collections import defaultdict
from collections.abc import Iterator

from jaxeager.errors import InvalidArgumentError, InvalidTypeError

__all__ = ["generate", "guard", "switch"]


class UniqueNameGenerator:
    """Counts the requests for each key, and prepends a prefix to every name."""

    def __init__(self, prefix: str = ""):
        self.prefix = prefix
        self.ids: defaultdict[str, int] = defaultdict(int)

    def __call__(self, key: str) -> str:
        number = self.ids[key]
        self.ids[key] = number + 1
        return f"{self.prefix}{key}_{number}"


class ParameterNameChecker:
    """Stores the names of parameters, so that no two share one."""

    def __init__(self):
        self.names: set[str] = set()

    def add(self, name: str) -> None:
        """Add a name; raise when a parameter has it already."""
        if name in self.names:
            raise InvalidArgumentError(
                f"The parameter name '{name}' has been used before. Two parameters cannot share a "
                "name: leave the name out, choose another, or create the second one under "
                "paddle.utils.unique_name.guard()."
            )
        self.names.add(name)


_generator = UniqueNameGenerator()
_checker = ParameterNameChecker()


def generate(key: str) -> str:
    """Return ``key`` with the number of earlier requests for it.

    Args:
        key: the stem of the name.

    Raises:
        InvalidTypeError: when key is not a string.

    Example:
        >>> import jaxeager as paddle
        >>> with paddle.utils.unique_name.guard():
        ...     [paddle.utils.unique_name.generate("fc") for _ in range(2)]
        ['fc_0', 'fc_1']
    """
    if not isinstance(key, str):
        raise InvalidTypeError(f"The key of a unique name must be a str, but received {key!r}.")
    return _generator(key)


def check_parameter_name(name: str) -> None:
    """Reserve a parameter name that must not be reserved already in this guard."""
    _checker.add(name)


def switch(
    new_generator: UniqueNameGenerator | None = None,
    new_para_name_checker: ParameterNameChecker | None = None,
) -> tuple[UniqueNameGenerator, ParameterNameChecker]:
    """Install other counters (fresh ones by default) and return the ones used until now.

    Args:
        new_generator: counters that an earlier switch returned, or None for fresh ones.
        new_para_name_checker: reserved parameter names that an earlier switch returned, or None.

    Returns:
        The counters and the reserved names used until now: pass both to switch to go back.

    Example:
        >>> from jaxeager.utils import unique_name
        >>> before = unique_name.switch()
        >>> unique_name.generate("fc")
        'fc_0'
        >>> _ = unique_name.switch(*before)
    """
    global _generator, _checker
    before = _generator, _checker
    _generator = UniqueNameGenerator() if new_generator is None else new_generator
    _checker = ParameterNameChecker() if new_para_name_checker is None else new_para_name_checker
    return before


@contextlib.contextmanager
def guard(new_generator: str | bytes | UniqueNameGenerator | None = None) -> Iterator[None]:
    """Count from zero inside a ``with`` block, and go on with the old counters after it.

    Args:
        new_generator: a prefix for every name in the block, counters to use, or None.

    Raises:
        InvalidTypeError: for any other type.

    Example:
        >>> from jaxeager.utils import unique_name
        >>> with unique_name.guard("left_"):
        ...     unique_name.generate("fc")
        'left_fc_0'
    """
    if isinstance(new_generator, bytes):
        new_generator = new_generator.decode()
    if isinstance(new_generator, str):
        new_generator = UniqueNameGenerator(new_generator)
    elif not (new_generator is None or isinstance(new_generator, UniqueNameGenerator)):
        raise InvalidTypeError(
            "unique_name.guard takes a prefix (str), a generator that switch returned, or nothing, "
            f"but received {new_generator!r}."
        )
    before = switch(new_generator)
    try:
        yield
    finally:
        switch(*before)
