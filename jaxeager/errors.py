"""Every error jaxeager raises on purpose.

The tree, with the builtin each class also is (so that code written for Paddle catches it)::

    JaxEagerError
    ├── InvalidArgumentError     ValueError            a value, shape or dtype that cannot be used
    ├── InvalidTypeError         TypeError             an object of a kind that cannot be used
    ├── OutOfRangeError          IndexError            an index or axis outside its bounds
    ├── PermissionDeniedError    RuntimeError          a saved tensor changed in place
    ├── NotFoundError            RuntimeError          a name, file or kernel that is not there
    ├── AlreadyExistsError       RuntimeError          the same thing given twice
    ├── PreconditionNotMetError  RuntimeError          a call made in the wrong state
    ├── UnavailableError         RuntimeError          nothing can answer this now
    ├── UnimplementedError       NotImplementedError   not in jaxeager (yet)
    └── FatalError               SystemError           a second backward (Fatal in Paddle)

A message reads ``(Kind) what was wrong, the values seen, what to do``: the class writes the kind.
"""


class JaxEagerError(Exception):
    """Base of every error raised on purpose; ``kind`` is Paddle's category name."""

    kind = "Error"

    def __init__(self, message: str):
        self.message = message
        super().__init__(f"({self.kind}) {message}")

    def __reduce__(self):
        return type(self), (self.message,)


class InvalidArgumentError(JaxEagerError, ValueError):
    """A value, shape or dtype that cannot be used."""

    kind = "InvalidArgument"


class InvalidTypeError(JaxEagerError, TypeError):
    """An object of a kind that cannot be used."""

    kind = "InvalidType"


class OutOfRangeError(JaxEagerError, IndexError):
    """An index or axis outside its bounds."""

    kind = "OutOfRange"


class PermissionDeniedError(JaxEagerError, RuntimeError):
    """A saved tensor was changed in place, or a gradient is stopped."""

    kind = "PermissionDenied"


class NotFoundError(JaxEagerError, RuntimeError):
    """A name, file or kernel that is not there."""

    kind = "NotFound"


class AlreadyExistsError(JaxEagerError, RuntimeError):
    """The same thing was given twice."""

    kind = "AlreadyExists"


class PreconditionNotMetError(JaxEagerError, RuntimeError):
    """A call made in the wrong state."""

    kind = "PreconditionNotMet"


class UnavailableError(JaxEagerError, RuntimeError):
    """Nothing can answer this now."""

    kind = "Unavailable"


class UnimplementedError(JaxEagerError, NotImplementedError):
    """A feature jaxeager does not have."""

    kind = "Unimplemented"


class FatalError(JaxEagerError, SystemError):
    """What Paddle reports as Fatal, a second backward among them."""

    kind = "Fatal"
