"""Numbers of bytes as text."""

_UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")


def size_text(count: float) -> str:
    """Return a number of bytes in the unit in which it is easy to read.

    Example:
        >>> size_text(512), size_text(246440)
        ('512 B', '240.7 KiB')
    """
    unit = 0
    while count >= 1024 and unit < len(_UNITS) - 1:
        count, unit = count / 1024, unit + 1
    return f"{count:.0f} B" if unit == 0 else f"{count:.1f} {_UNITS[unit]}"
