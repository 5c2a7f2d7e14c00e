"""paddle.base.core.globals(): the flags as a mapping."""

from collections.abc import Iterator

from jaxeager.core import flags
from jaxeager.errors import NotFoundError


class FlagValues:
    """All flags, by their full names; setting one does what ``paddle.set_flags`` does.

    Raises:
        NotFoundError: when ``[...]`` or ``[...] =`` names a flag that does not exist.

    Example:
        >>> import jaxeager as paddle
        >>> values = paddle.base.core.globals()
        >>> values["FLAGS_call_stack_level"], values.get("FLAGS_no_such", "none")
        (1, 'none')
    """

    def __contains__(self, name: str) -> bool:
        return name in self.keys()

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __len__(self) -> int:
        return len(self.keys())

    def __getitem__(self, name: str):
        self._check(name, f"Cannot find global variable {name}")
        return flags.flag(name)

    def __setitem__(self, name: str, value) -> None:
        self._check(name, f"Global variable {name} is not writable")
        flags.set_flags({name: value})

    def get(self, name: str, default=None):
        """Return a flag's value; ``default`` if there is no such flag."""
        return flags.flag(name) if name in self else default

    def get_default(self, name: str):
        """Return the default value of a flag.

        Raises:
            NotFoundError: for a name that does not exist.
        """
        self._check(name, f"Cannot find default value of global variable {name}")
        return flags.default_of(name)

    def is_public(self, name: str) -> bool:
        """Return whether ``set_flags`` accepts a flag: it accepts every existing flag."""
        return name in self

    def keys(self) -> tuple[str, ...]:
        """Return the names of all flags."""
        return flags.names()

    def _check(self, name: str, message: str) -> None:
        if name not in self:
            raise NotFoundError(message)


_values = FlagValues()


def globals() -> FlagValues:  # the name is Paddle's
    """Return the flags as a mapping of name to value.

    Example:
        >>> import jaxeager as paddle
        >>> "FLAGS_check_nan_inf" in paddle.base.core.globals()
        True
    """
    return _values
