"""Programs of `programs/` in lazy mode: real Paddle's results, from executables of many ops.

Each is compiled at its first call (FLAGS_lazy_wait). The families are those whose programs use the
tape, versions, views, hooks, mixed precision and optimizers. Every fifth program runs before each
change, the others are `deep`.
"""

import numpy as np
import pytest

import jaxeager

from .on_a_cpu import digits_of, where_it_holds
from .oracle import recorded
from .registry import PROGRAMS, fresh, load_programs
from .test_parity import agree

load_programs()
FAMILIES = """
    amp backward_more backward_rules boundary_gradients grad_modes higher_order hooks hooks_inside
    hooks_on_values inplace_more inplace_versions jacobian looking_hooks node_hooks optimizers
    optimizers_adaptive optimizers_around partial_grad partial_grad_arguments pylayer recompute
    saved_hooks to_static views
""".split()


def cases():
    """Return the programs as parameters of a test."""
    programs = [each for each in PROGRAMS.values() if each.family in FAMILIES]
    deep = [each.is_deep or number % 5 > 0 for number, each in enumerate(programs)]
    return [
        pytest.param(each, id=f"{each.family}-{each.name}", marks=[pytest.mark.deep] * is_deep)
        for each, is_deep in zip(programs, deep, strict=True)
    ]


@pytest.fixture(autouse=True)
def fresh_state():
    """Start each program as the worker does, in lazy mode."""
    fresh(jaxeager)
    jaxeager.set_flags({"FLAGS_lazy_wait": True})
    with jaxeager.lazy():
        yield
    jaxeager.set_flags({"FLAGS_lazy_wait": False})
    fresh(jaxeager)


# Some programs show that backward without a graph does nothing; Paddle does not warn of it.
@pytest.mark.filterwarnings("ignore:backward.. computes no gradients")
@pytest.mark.filterwarnings("ignore:dtype of input .value. needs")
@pytest.mark.filterwarnings("ignore:Lazy mode. the last")
@pytest.mark.parametrize("program", cases())
def test_program_agrees(program):
    """The program has the results of op by op."""
    right = recorded(program).gives if program.right is None else program.right
    with where_it_holds(program):
        agree(right, program.run(jaxeager, np), digits_of(program))
