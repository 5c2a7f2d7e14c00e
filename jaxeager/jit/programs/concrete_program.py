"""Paddle's names for the programs of a function: ConcreteProgram, ProgramCache."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxeager.static.input_spec import InputSpec
from jaxeager.tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Callable

    from jax.stages import Compiled

    from jaxeager.jit.programs.program import Program
    from jaxeager.jit.programs.whole_graph import WholeGraph


class ConcreteProgram:
    """A program of a function, for arguments of one kind.

    Attributes:
        main_program: forward, as a jaxpr.
        backward_program: backward, as a jaxpr; None if there is none.
        inputs: an InputSpec for each tensor among the arguments.
        outputs: an InputSpec for each tensor that it returns or writes.
        parameters: the tensors that it uses besides its arguments.
    """

    def __init__(self, program: Program):
        self._program = program
        self.main_program = program.halves.forward
        self.backward_program = program.halves.backward
        self.inputs = [InputSpec(a.shape, a.dtype) for a in program.argument_avals]
        outputs = program.halves.forward.out_avals[: program.captured.outputs]
        self.outputs = [InputSpec(a.shape, a.dtype) for a in outputs]  # type: ignore[attr-defined]
        self.parameters: list[Tensor] = [each for each in program.others if each is not None]

    def compiled(self) -> Compiled:
        """Return forward as compiled by XLA: ``as_text()`` is its HLO.

        Example:
            >>> import jaxeager as paddle
            >>> @paddle.jit.to_static(full_graph=True)
            ... def double(x):
            ...     return x * 2
            >>> _ = double(paddle.ones([2]))
            >>> "multiply" in double.concrete_program.compiled().as_text()
            True
        """
        return self._program.compiled()

    @property
    def function(self) -> Callable:
        """Return the function that runs on the tensors among the arguments."""
        return self._program.function


class ProgramCache:
    """The programs of a function, by what they depend on."""

    def __init__(self, programs: WholeGraph):
        self._programs = programs

    def concrete_programs(self) -> list[ConcreteProgram]:
        """Return the programs, in the order of capture."""
        return [ConcreteProgram(each) for each in self._programs.all_programs()]

    def last(self) -> ConcreteProgram:
        """Return the program captured last; raise IndexError when there is none."""
        return self.concrete_programs()[-1]

    def __len__(self) -> int:
        return len(self._programs.all_programs())
