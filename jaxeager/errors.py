"""Every error jaxeager raises on purpose.

The tree, with the builtin that each class also is (so that code written for Paddle catches it).
Those where Paddle has an assert are also an AssertedError, a JaxEagerError and AssertionError; the
one where it has a KeyError is a KeyedError::

    JaxEagerError
    ├── InvalidArgumentError     ValueError            a value, shape or dtype that cannot be used
    │   ├── RefusedArgumentError       and AssertionError  one where Paddle has an assert
    │   ├── ZeroDivisorError           and ZeroDivisionError  a divisor that must not be 0
    │   ├── InvalidNameError           and TypeError       a name of no dtype
    │   ├── UnknownNameError           and KeyError        a name of no parameter
    │   ├── UnsupportedDtypeError      and NotFoundError    a dtype without a kernel
    │   └── UnsupportedAttributeError  and AttributeError  options that exclude each other
    ├── InvalidTypeError         TypeError             an object of an unusable type
    │   ├── RepeatedArgumentError  and ValueError      an argument given under two names
    │   ├── RefusedTypeError     and AssertionError    one where Paddle has an assert
    │   ├── InvalidSizeError     and ValueError        a negative size
    │   ├── UnequalDtypesError   and ValueError        operands of different dtypes
    │   ├── UnsizedError         and RuntimeError      the length of a stream
    │   └── InvalidOperandError  and ValueError        an operand that is not a Tensor
    │       └── InvalidOperatorError                   one that an operator cannot take
    ├── OutOfRangeError          IndexError            an index or axis outside its bounds
    │   ├── InvalidIndexError    and ValueError        one where Paddle has InvalidArgument
    │   │   └── InvalidAxisError  and AssertionError   an axis; Paddle raises any of the three
    │   └── RefusedIndexError    and AssertionError    one where Paddle has an assert
    ├── PermissionDeniedError    RuntimeError          a saved tensor changed in place
    ├── NotFoundError            RuntimeError          a name, file or kernel that does not exist
    │   └── MissingStateError    and AssertionError    a part that a saved state lacks
    ├── AlreadyExistsError       RuntimeError          something that already exists
    ├── PreconditionNotMetError  RuntimeError          a call made in the wrong state
    │   ├── RefusedStateError    and AssertionError    one where Paddle has an assert
    │   ├── UnmatchedError       and ValueError        operands or samples that do not match
    │   └── NonFiniteError       FloatingPointError    a NaN or Inf that jax_debug_nans found
    ├── ResourceExhaustedError   MemoryError           more memory than is available
    ├── UnavailableError         RuntimeError          currently not available
    ├── UnimplementedError       NotImplementedError   not in jaxeager (yet)
    ├── ExternalError            OSError               a device or a library has failed
    └── FatalError               SystemError           a second backward (Fatal in Paddle)

A message reads ``(Kind) what was wrong, the values seen, what to do``: the class adds the kind.
With FLAGS_call_stack_level 2 and 3 it contains more, see debug/stacks/error_text.py.
"""

from jaxeager.core import ports


class JaxEagerError(Exception):
    """Base of every error raised on purpose; ``kind`` is Paddle's category name.

    Attributes:
        message: what was wrong, without the kind.
        text: the result of ``str()`` if it is not the kind and the message; else None.
        path: the frames of the package and of JAX it passed through; None if not recorded.
        has_passed: whether it has passed through a node or a PyLayer, which ``text`` states.
        paddles: the builtin that Paddle raises, if it is not the first that the class also is.
    """

    kind = "Error"
    paddles: type[Exception] | None = None
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


def paddles_type(kind: type[BaseException]) -> type[BaseException]:
    """Return the builtin that Paddle raises where this package raises an error of a class.

    Example:
        >>> paddles_type(PermissionDeniedError), paddles_type(MissingStateError)
        (<class 'RuntimeError'>, <class 'AssertionError'>)
    """
    chosen: type[Exception] | None = getattr(kind, "paddles", None)
    found = [each for each in kind.__mro__ if each.__module__ == "builtins"]
    return chosen or next(each for each in found if issubclass(each, BaseException))


def _rebuild(kind: "type[JaxEagerError]", args: tuple, state: dict) -> JaxEagerError:
    """Rebuild a pickled error, with its notes, without calling the class's own ``__init__``."""
    error: JaxEagerError = kind.__new__(kind, *args)
    error.args = args  # OSError gets them from its __init__ only
    error.__dict__.update(state)
    return error


class InvalidArgumentError(JaxEagerError, ValueError):
    """A value, shape or dtype that cannot be used."""

    kind = "InvalidArgument"


class InvalidTypeError(JaxEagerError, TypeError):
    """An object of a type that cannot be used."""

    kind = "InvalidType"


class AssertedError(JaxEagerError, AssertionError):
    """Base of the errors where Paddle has an assert."""


class RefusedArgumentError(AssertedError, InvalidArgumentError):
    """A value that cannot be used, where Paddle has an assert."""


class RefusedTypeError(AssertedError, InvalidTypeError):
    """An object of a type that cannot be used, where Paddle has an assert."""


class InvalidSizeError(InvalidTypeError, InvalidArgumentError):
    """A negative size: a ValueError and, as in Paddle, a TypeError."""


class ZeroDivisorError(InvalidArgumentError, ZeroDivisionError):
    """A divisor that must not be 0: a ValueError and, as in Paddle, a ZeroDivisionError."""


class InvalidNameError(InvalidArgumentError, InvalidTypeError):
    """A name of no dtype: a TypeError and, as in Paddle, a ValueError."""


class KeyedError(JaxEagerError, KeyError):
    """Base of the errors where Paddle raises KeyError; unlike Python's, its text has no quotes."""

    def __str__(self) -> str:
        return Exception.__str__(self) if self.text is None else self.text


class UnknownNameError(KeyedError, InvalidArgumentError):
    """A name of no parameter: a ValueError and, as in Paddle, a KeyError."""


class UnequalDtypesError(InvalidTypeError, InvalidArgumentError):
    """Operands of different dtypes: a ValueError and, as in Paddle, a TypeError."""


class InvalidOperandError(InvalidTypeError, InvalidArgumentError):
    """An operand that is not a Tensor: a TypeError and, as in Paddle, a ValueError.

    Attributes:
        operand: the operand; a copy of the error, or a pickled one, does not have it.
        wanted: what it must be.
    """

    kind = "InvalidArgument"
    paddles = ValueError
    operand: object = None
    wanted = "Tensor"

    def __reduce__(self):
        state = {name: value for name, value in self.__dict__.items() if name != "operand"}
        return _rebuild, (type(self), self.args, state)


class RepeatedArgumentError(InvalidTypeError, InvalidArgumentError):
    """An argument given under two names: a TypeError and a ValueError; Paddle raises either."""

    kind = "InvalidArgument"


class UnsupportedAttributeError(InvalidArgumentError, AttributeError):
    """Options that exclude each other, where Paddle raises AttributeError."""

    paddles = AttributeError


class OutOfRangeError(JaxEagerError, IndexError):
    """An index or axis outside its bounds."""

    kind = "OutOfRange"


class RefusedIndexError(AssertedError, OutOfRangeError):
    """An index out of range, where Paddle has an assert."""


class InvalidOperatorError(InvalidOperandError):
    """An operator's operand that is not a Tensor, array or number: InvalidType in Paddle."""

    kind = "InvalidType"
    paddles = TypeError


class InvalidIndexError(InvalidArgumentError, OutOfRangeError):
    """An index outside its bounds: an IndexError and, as in Paddle, a ValueError."""

    kind = "InvalidArgument"


class InvalidAxisError(InvalidIndexError, AssertionError):
    """An axis that a tensor does not have.

    Paddle's functions raise ValueError, IndexError or AssertionError for it; this is all of them.
    """


class PermissionDeniedError(JaxEagerError, RuntimeError):
    """A saved tensor was changed in place, or a gradient is stopped."""

    kind = "PermissionDenied"


class NotFoundError(JaxEagerError, RuntimeError):
    """A name, file or kernel that does not exist."""

    kind = "NotFound"


class AlreadyExistsError(JaxEagerError, RuntimeError):
    """Something that already exists."""

    kind = "AlreadyExists"


class PreconditionNotMetError(JaxEagerError, RuntimeError):
    """A call made in the wrong state."""

    kind = "PreconditionNotMet"


class RefusedStateError(AssertedError, PreconditionNotMetError):
    """A call made in the wrong state, where Paddle has an assert."""


class MissingStateError(AssertedError, NotFoundError):
    """A part that a saved state lacks, where Paddle has an assert."""


class UnmatchedError(PreconditionNotMetError, InvalidArgumentError):
    """Operands or samples that do not match: a ValueError and, as in Paddle, a RuntimeError."""


class UnsizedError(PreconditionNotMetError, InvalidTypeError):
    """The length of a stream was asked for: a RuntimeError, as in Paddle, and a TypeError.

    Python's ``list`` goes on after a TypeError, without knowing the length.
    """


class UnsupportedDtypeError(InvalidArgumentError, NotFoundError):
    """A dtype without a kernel, where Paddle raises ValueError."""


class NonFiniteError(PreconditionNotMetError, FloatingPointError):
    """A NaN or Inf that JAX's own ``jax_debug_nans`` or ``jax_debug_infs`` found."""


class ResourceExhaustedError(JaxEagerError, MemoryError):
    """More memory was requested than is available."""

    kind = "ResourceExhausted"


class UnavailableError(JaxEagerError, RuntimeError):
    """A result that is currently not available."""

    kind = "Unavailable"


class UnimplementedError(JaxEagerError, NotImplementedError):
    """A feature jaxeager does not have."""

    kind = "Unimplemented"


class ExternalError(JaxEagerError, OSError):
    """A device or a library has failed."""

    kind = "External"


class FatalError(JaxEagerError, SystemError):
    """Errors that Paddle reports as Fatal, including a second backward."""

    kind = "Fatal"
