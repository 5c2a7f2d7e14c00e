"""Exceptions of users that take no note."""


class Refusing(Exception):
    """One that takes no note."""

    def add_note(self, note):
        raise TypeError("no notes")


class Frozen(Exception):
    """One whose attributes cannot be set."""

    def __setattr__(self, name, value):
        raise AttributeError(name)


class Noted(Exception):
    """One with notes of its own kind."""

    __notes__ = None  # type: ignore[assignment]
