"""op_name in the text of executables: which op an instruction computes, for XProf."""

import re

import jax.numpy as jnp

import jaxeager as paddle
from jaxeager.ops.row import ROWS


def names_in(text):
    return set(re.findall(r'op_name="([^"]*)"', text))


def test_a_kernel_has_the_name_of_its_op():
    paddle.tanh(paddle.ones([2]))
    kernel = ROWS["tanh"].forward_kernels[()]
    assert "jit(tanh)/tanh" in names_in(kernel.lower(jnp.ones(2)).compile().as_text())


def test_a_captured_program_has_the_names_of_its_ops():
    @paddle.jit.to_static(full_graph=True)
    def twice(x):
        return (x * 2).tanh()

    twice(paddle.ones([3]))
    text = str(twice.main_program)
    assert "name=tanh" in text


def test_a_segment_has_the_number_and_the_name_of_each_call():
    x = paddle.rand([300, 4])
    with paddle.debug.profile_segments() as seen:
        for _ in range(6):
            ((x * 3).exp() - 1).tolist()
    run = next(run for run in reversed(seen.recorder.runs) if not run.alone)
    operands = seen.recorder._operands[run.segment]
    names = names_in(run.segment.kernel.lower(*operands).compile().as_text())
    steps = [step.kernel.name for step in run.segment.steps]
    for number, name in enumerate(steps):
        assert any(each.startswith(f"jit(segment)/call{number}.{name}/") for each in names), names
