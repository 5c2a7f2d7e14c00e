"""Marks: steps of a JAX program that name the op of this library that they belong to.

Note [Marks of ops]
    While a function is traced for ONNX, an observer adds a step after the kernel of each op. It
    takes the operands and the results of the kernel, returns the results, and has the row and its
    attributes as parameters. So the program holds each op twice: as JAX's steps, and by name. The
    converter writes the operator that ONNX has for the row, if it has one, and JAX's steps
    otherwise. Ops in the branches of an ``if`` and in bodies of loops are not shown to observers,
    and have no marks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import jax
from jax.core import Tracer
from jax.extend.core import Primitive

from jaxeager.graph import events

if TYPE_CHECKING:
    from jax.core import AbstractValue


mark = Primitive("jaxeager_op")
mark.multiple_results = True


@mark.def_abstract_eval
def _results(*avals: AbstractValue, count: int, **_: object) -> list[AbstractValue]:
    return list(avals[len(avals) - count :])


class Marking(events.Observer):
    """Adds a mark after each op of the package."""

    def kernel_finished(self, seen: events.Call) -> None:
        """Replace the results of a kernel by those of its mark, while JAX traces the op."""
        if seen.kernel is None or not any(map(_is_traced, seen.results)):
            return
        operands, structure = jax.tree.flatten([*seen.arrays, *seen.scalars])
        seen.results = tuple(
            mark.bind(
                *operands,
                *seen.results,
                row=seen.row,
                attrs=seen.attrs,
                structure=structure,
                count=len(seen.results),
            )
        )


def _is_traced(array: object) -> bool:
    return isinstance(array, Tracer)
