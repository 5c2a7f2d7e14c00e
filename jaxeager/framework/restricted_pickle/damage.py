"""The error that stops the reading of a file."""


class Damage(Exception):
    """A part of a file that cannot be read.

    Attributes:
        offset: the byte of the file; None for the opcode that is running.
    """

    def __init__(self, message: str, offset: int | None = None):
        super().__init__(message)
        self.offset = offset
