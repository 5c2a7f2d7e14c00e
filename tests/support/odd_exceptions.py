"""Exceptions of users that accept no note."""


class Refusing(Exception):
    """An exception that accepts no note."""

    def add_note(self, note):
        raise TypeError("no notes")


class Frozen(Exception):
    """An exception whose attributes cannot be set."""

    def __setattr__(self, name, value):
        raise AttributeError(name)


class Noted(Exception):
    """An exception with its own kind of notes."""

    __notes__ = None  # type: ignore[assignment]
