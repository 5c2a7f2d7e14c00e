"""The global variables that the code of a function names."""

import dis
import functools
import types
from collections.abc import Iterator

# Instructions that read or write a global; code of classes reads names with the others.
_OF_GLOBALS = frozenset(
    "LOAD_GLOBAL STORE_GLOBAL DELETE_GLOBAL LOAD_NAME LOAD_FROM_DICT_OR_GLOBALS".split()
)


@functools.cache
def global_names(code: types.CodeType) -> list[str]:
    """Return the names of globals and builtins in code, also of inner functions, sorted.

    ``co_names`` has the names of attributes too, which may be those of unrelated globals.

    Example:
        >>> from jaxeager.jit.capture.global_names import global_names
        >>> global_names((lambda x: print(x.step())).__code__)
        ['print']
    """
    steps = (step for each in _codes(code) for step in dis.get_instructions(each))
    return sorted({step.argval for step in steps if step.opname in _OF_GLOBALS})


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)
