"""Every error jaxeager raises on purpose.

The tree, with the builtin each class also is (so that code written for Paddle catches it)::

    JaxEagerError
    ├── InvalidArgumentError     ValueError            a value, shape or dtype that cannot be used
    │   └── UnsupportedAttributeError  and AttributeError  options that do not go together
    ├── InvalidTypeError         TypeError             an object of a kind that cannot be used
    │   └── InvalidOperandError  and ValueError        an operand that is no Tensor
    │       └── InvalidOperatorError                   one that an operator cannot take
    ├── OutOfRangeError          IndexError            an index or axis outside its bounds
    │   └── InvalidIndexError    and ValueError        one where Paddle says InvalidArgument
    ├── PermissionDeniedError    RuntimeError          a saved tensor changed in place
    ├── NotFoundError            RuntimeError          a name, file or kernel that is not there
    ├── AlreadyExistsError       RuntimeError          the same thing given twice
    ├── PreconditionNotMetError  RuntimeError          a call made in the wrong state
    │   └── NonFiniteError       FloatingPointError    a NaN or Inf that jax_debug_nans looked for
    ├── ResourceExhaustedError   MemoryError           more memory than there is
    ├── UnavailableError         RuntimeError          nothing can answer this now
    ├── UnimplementedError       NotImplementedError   not in jaxeager (yet)
    ├── ExternalError            OSError               a device or a library below has failed
    └── FatalError               SystemError           a second backward (Fatal in Paddle)

A message reads ``(Kind) what was wrong, the values seen, what to do``: the class writes the kind.
With FLAGS_call_stack_level 2 and 3 it has more to say, see debug/stacks/error_text.py.
"""

from jaxeager.core import ports


class JaxEagerError(Exception):
    """Base of every error raised on purpose; ``kind`` is Paddle's category name.

    Attributes:
        message: what was wrong, without the kind.
        text: what ``str()`` says instead of the kind and the message; None where nothing else.
        path: the frames of the package and of JAX it came through; None where nobody wanted them.
        has_passed: whether it has left a node or a PyLayer, and says so in ``text``.
    """

    kind = "Error"
    path: "list[str] | None" = None
    has_passed = False

    def __init__(self, message: str):
        self.message = message
        self.text: str | None = None
        super().__init__(f"({self.kind}) {message}")
        if ports.on_error is not None:
            ports.on_error(self)

    def __str__(self) -> str:
        return super().__str__() if self.text is None else self.text

    def __reduce__(self):
        return _rebuild, (type(self), self.args, self.__dict__)


def _rebuild(kind: "type[JaxEagerError]", args: tuple, state: dict) -> JaxEagerError:
    """Make a pickled error anew: with its notes, and without asking what its class takes."""
    error: JaxEagerError = kind.__new__(kind, *args)
    error.args = args  # OSError has them from its __init__ only
    error.__dict__.update(state)
    return error


class InvalidArgumentError(JaxEagerError, ValueError):
    """A value, shape or dtype that cannot be used."""

    kind = "InvalidArgument"


class InvalidTypeError(JaxEagerError, TypeError):
    """An object of a kind that cannot be used."""

    kind = "InvalidType"


class InvalidOperandError(InvalidTypeError, InvalidArgumentError):
    """An operand that is no Tensor: both a TypeError and, as in Paddle, a ValueError.

    Attributes:
        operand: what was given; a copy of the error, or a pickled one, is without it.
        wanted: what it must be.
    """

    kind = "InvalidArgument"
    operand: object = None
    wanted = "Tensor"

    def __reduce__(self):
        state = {name: value for name, value in self.__dict__.items() if name != "operand"}
        return _rebuild, (type(self), self.args, state)


class UnsupportedAttributeError(InvalidArgumentError, AttributeError):
    """Options that do not go together, where Paddle raises AttributeError."""


class OutOfRangeError(JaxEagerError, IndexError):
    """An index or axis outside its bounds."""

    kind = "OutOfRange"


class InvalidOperatorError(InvalidOperandError):
    """What stands beside an operator and is no Tensor, array or number: InvalidType in Paddle."""

    kind = "InvalidType"


class InvalidIndexError(InvalidArgumentError, OutOfRangeError):
    """An index outside its bounds: both an IndexError and, as in Paddle, a ValueError."""

    kind = "InvalidArgument"


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


class NonFiniteError(PreconditionNotMetError, FloatingPointError):
    """A NaN or Inf that JAX's own ``jax_debug_nans`` or ``jax_debug_infs`` was to find."""


class ResourceExhaustedError(JaxEagerError, MemoryError):
    """More memory was asked for than there is."""

    kind = "ResourceExhausted"


class UnavailableError(JaxEagerError, RuntimeError):
    """Nothing can answer this now."""

    kind = "Unavailable"


class UnimplementedError(JaxEagerError, NotImplementedError):
    """A feature jaxeager does not have."""

    kind = "Unimplemented"


class ExternalError(JaxEagerError, OSError):
    """A device or a library below has failed."""

    kind = "External"


class FatalError(JaxEagerError, SystemError):
    """What Paddle reports as Fatal, a second backward among them."""

    kind = "Fatal"
