"""Arguments without effect on any number: a warning, once for each in a process.

An argument that would change a number is an error instead. tests/test_arguments.py finds parameters
that no line reads.
"""

from jaxeager.core import user_lines

_said: set[tuple[str, str]] = set()


def unheeded(function: str, why: str, **given: tuple[object, object]) -> None:
    """Warn that arguments have no effect, each once in a process, unless they are the defaults.

    Args:
        function: the name of the called function.
        why: a clause with the reason.
        given: by name (the value, the default).

    Example:
        >>> unheeded("save", "files have one form", form=("old", "old"))
        >>> import warnings
        >>> with warnings.catch_warnings(record=True) as caught:
        ...     warnings.simplefilter("always")
        ...     for _ in range(2):
        ...         unheeded("save", "files have one form", form=("new", "old"))
        >>> [str(each.message) for each in caught]
        ["save: form='new' has no effect: files have one form."]
    """
    for argument, (value, default) in given.items():
        if value is default or (type(value) is type(default) and value == default):
            continue
        if (function, argument) not in _said:
            _said.add((function, argument))
            user_lines.warn(f"{function}: {argument}={value!r} has no effect: {why}.")
