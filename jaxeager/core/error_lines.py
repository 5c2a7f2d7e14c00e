"""The first line of an error's text, for messages that quote the error of another library."""


def first_line(error: BaseException) -> str:
    """Return the first line of an error's text that is not blank, else the name of its type.

    Example:
        >>> first_line(ValueError("a\\nb")), first_line(ValueError())
        ('a', 'ValueError')
    """
    return _first_of(error) or type(error).__name__


def named_first_line(error: BaseException) -> str:
    """Return the name of an error's type, and the first line of its text if it has one.

    Example:
        >>> named_first_line(ValueError("a\\nb")), named_first_line(ValueError())
        ('ValueError: a', 'ValueError')
    """
    text = _first_of(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _first_of(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0].rstrip() if lines else ""
