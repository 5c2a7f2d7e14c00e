"""``if`` and ``while`` on tensors mean the same op by op, as one program, and saved and loaded."""

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.static import InputSpec
from jaxeager.utils import flatten
from tests.jit.lowering.programs import PROGRAMS
from tests.support.often import only

SAVED = [name for name, (_, _, saves) in PROGRAMS.items() if saves]
QUICK = """
    append_in_branches calls_a_function early_returns for_break for_range_of_a_tensor_with_break
    for_return if_else layers list_of_state loop_in_place nested nonlocal_called_in_a_branch
    operators returns_a_tuple temporaries_of_another_shape ternary try_statement while_continue
    while_count while_return written_in_place
""".split()


def tensors(given):
    return [paddle.to_tensor(each) for each in (given if isinstance(given, tuple) else (given,))]


def numbers(found):
    return [np.asarray(each) for each in flatten(found)]


def with_gradients(function, given):
    arguments = tensors(given)
    for each in arguments:
        each.stop_gradient = False
    found = function(*arguments)
    total = sum((each * each).sum() for each in flatten(found))
    if not total.stop_gradient:  # a loop that runs no round may return a constant
        total.backward()
    zero = np.zeros(2, "float32")
    return numbers(found), [zero if x.grad is None else x.grad.numpy() for x in arguments]


def assert_same(found, wanted):
    assert len(found) == len(wanted)
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", only(QUICK, PROGRAMS))
def test_a_program_has_the_values_and_gradients_of_its_ops(name):
    function, inputs, _ = PROGRAMS[name]
    marked = paddle.jit.to_static(function, full_graph=True)
    for given in inputs:
        wanted, slopes = with_gradients(function, given)
        found, found_slopes = with_gradients(marked, given)
        assert_same(found, wanted)
        assert_same(found_slopes, slopes)
    assert len(marked.program_cache) == 1


@pytest.mark.deep
@pytest.mark.filterwarnings("ignore:What is saved is a function")
@pytest.mark.parametrize("name", SAVED)
def test_a_saved_program_has_the_values_of_its_ops(name, tmp_path):
    function, inputs, _ = PROGRAMS[name]
    check_saved(function, inputs, tmp_path)


def check_saved(function, inputs, folder):
    specs = [InputSpec([2]) for _ in tensors(inputs[0])]
    paddle.jit.save(function, f"{folder}/net", specs)
    loaded = paddle.jit.load(f"{folder}/net")
    for given in inputs:
        assert_same(numbers(loaded(*tensors(given))), numbers(function(*tensors(given))))


@pytest.mark.filterwarnings("ignore:What is saved is a function")
@pytest.mark.parametrize(
    "name",
    ["early_returns", "written_in_place", "while_break", "for_range_of_a_tensor"],
)
def test_some_are_saved(name, tmp_path):
    function, inputs, _ = PROGRAMS[name]
    check_saved(function, inputs, tmp_path)
