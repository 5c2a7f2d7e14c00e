"""Errors where Paddle's layers have an assert: AssertionErrors with an explanation.

::

    JaxEagerError
    ├── RefusedArgumentError   AssertionError, ValueError   a value a layer cannot be built with
    └── RefusedTypeError       AssertionError, TypeError    an object of a type it cannot hold
"""

from jaxeager.errors import JaxEagerError


class RefusedArgumentError(JaxEagerError, AssertionError, ValueError):
    """A value a layer cannot be built with."""

    kind = "InvalidArgument"


class RefusedTypeError(JaxEagerError, AssertionError, TypeError):
    """An object of a type a layer cannot hold."""

    kind = "InvalidType"
