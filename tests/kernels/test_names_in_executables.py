"""op_name in the text of executables: which op an instruction computes, for XProf."""

import re

import jax
import jax.extend.core
import jax.numpy as jnp

import jaxeager as paddle
from jaxeager.ops.row import ROWS


def names_in(text):
    return set(re.findall(r'op_name="([^"]*)"', text))


def test_a_kernel_has_the_name_of_its_op():
    paddle.tanh(paddle.ones([2]))
    kernel = ROWS["tanh"].forward_kernels[()]
    assert "jit(tanh)/tanh" in names_in(kernel.lower(jnp.ones(2)).compile().as_text())


def lines_in(text, file):
    """Return the lines of a file that the stacks of an executable's instructions have."""
    match = re.search(rf'^(\d+) "{re.escape(file)}"$', text, re.MULTILINE)
    assert match is not None, "the file is in no stack"
    return {int(line) for line in re.findall(rf"file_name_id={match[1]} .*?\bline=(\d+)", text)}


def test_a_captured_program_has_the_names_and_lines_of_its_ops():
    @paddle.jit.to_static(full_graph=True)
    def twice(x):
        return (x * 2).tanh()  # the line

    twice(paddle.ones([3]))
    run = jax.jit(jax.extend.core.jaxpr_as_fun(twice.main_program))
    operands = [jnp.ones(each.shape, each.dtype) for each in twice.main_program.in_avals]
    text = run.lower(*operands).compile().as_text()
    assert any(each.endswith("jit(tanh)/tanh") for each in names_in(text))
    with open(__file__) as file:
        number = next(n for n, line in enumerate(file, 1) if line.rstrip().endswith("# the line"))
    assert number in lines_in(text, __file__)


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
