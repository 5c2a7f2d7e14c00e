"""The default programs of static graphs, which have no op: ops run when they are called, always.

Programs without static graphs pass them on, as in
``optimizer._create_accumulators(default_main_program().global_block(), parameters)``.
"""

from __future__ import annotations

from typing import NoReturn

from jaxeager.errors import UnsupportedAttributeError
from jaxeager.ops.rules.attrs import as_int
from jaxeager.static.programs import REASON


class EmptyBlock:
    """The block of a default program, without ops.

    Attributes:
        ops: its ops, none.
        program: its program.
    """

    def __init__(self, program: EmptyProgram):
        self.program = program

    @property
    def ops(self) -> list:
        """Return its ops: none."""
        return []

    def __getattr__(self, name: str) -> NoReturn:
        _refuse("Block", name)


class EmptyProgram:
    """A default program, without ops.

    Attributes:
        random_seed: a number that static graphs would use; ``paddle.seed`` sets the seed of ops.
        num_blocks: the number of its blocks, 1.
    """

    num_blocks = 1

    def __init__(self) -> None:
        self._block = EmptyBlock(self)
        self._seed = 0

    @property
    def random_seed(self) -> int:
        """Return the number that was set; 0 at first. It has no effect."""
        return self._seed

    @random_seed.setter
    def random_seed(self, seed: int) -> None:
        self._seed = as_int(seed, "random_seed")

    def global_block(self) -> EmptyBlock:
        """Return its block."""
        return self._block

    def list_vars(self) -> list:
        """Return its variables: none."""
        return []

    def all_parameters(self) -> list:
        """Return its parameters: none."""
        return []

    def __getattr__(self, name: str) -> NoReturn:
        _refuse("Program", name)


def _refuse(kind: str, name: str) -> NoReturn:
    if name.startswith("__"):
        raise AttributeError(name)
    raise UnsupportedAttributeError(f"paddle.static.{kind}.{name}: {REASON}")


_MAIN, _STARTUP = EmptyProgram(), EmptyProgram()


def default_main_program() -> EmptyProgram:
    """Return the main program, which has no op.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.static.default_main_program().global_block().ops
        []
    """
    return _MAIN


def default_startup_program() -> EmptyProgram:
    """Return the program that sets first values, which has no op.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.static.default_startup_program().all_parameters()
        []
    """
    return _STARTUP
