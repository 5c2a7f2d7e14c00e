"""Operands that are not Tensors: a clear error from every op, function and layer.

Every row of the table is called with each of its operands replaced in turn; every other function
of the public surface, and every layer, is called as its documentation does, once for each argument
that is a Tensor there (a third of them on every change, the others are `deep`).
"""

import contextlib
import doctest
import io
import pickle
import re
import types

import jax.numpy as jnp
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidOperandError, JaxEagerError
from jaxeager.graph import events
from jaxeager.nn import Layer
from jaxeager.ops.call.bad_operands import names_operands
from jaxeager.ops.row import ROWS
from tests.support.cases import cases_of, inputs, tensors
from tests.support.often import every

F = paddle.nn.functional


class Plain:
    """An object of a user's class."""


BAD = {
    "numpy.ndarray": np.ones((2, 3), np.float32),
    "None": None,
    "str": "text",
    "Plain": Plain(),
}
ROW_CASES = [next(cases_of(row)) for row in ROWS.values() if row.operands and row.samples]
MESSAGE = r"\(\): argument '\w+' \(position \d+\) must be [\w, ]*Tensors?, but "


def state_of(operands) -> list:
    """Return the state of all tensors among the operands, which a failing call must not change."""
    flat = [
        each
        for value in operands
        for each in (value if isinstance(value, list) else [value])
        if isinstance(each, paddle.Tensor)
    ]
    return [(id(t._array), t._meta, t.stop_gradient, t.grad, t.inplace_version) for t in flat]


def operands_of(case) -> list:
    """Return a sample's operands, which require gradients; None for omitted ones."""
    operands = tensors(inputs(case), stop_gradient=False)
    return operands + [None] * (len(case.row.operands) - len(operands))


@pytest.mark.parametrize("case", ROW_CASES, ids=[case.row.name for case in ROW_CASES])
def test_every_row_names_the_operand_that_is_no_tensor(case):
    row, attrs = case.row, case.sample.attrs
    for operand in row.operands:
        for seen, value in BAD.items():
            if value is None and operand.is_optional:
                continue
            operands = operands_of(case)
            operands[operand.slot] = value
            before = state_of(operands)
            with pytest.raises(InvalidOperandError) as caught:
                row.function(*operands, **attrs)
            wanted = f"{row.name}(): argument '{operand.name}' (position {operand.slot}) must be "
            assert caught.value.message.startswith(wanted)
            assert f", but got {seen}. " in f"{caught.value.message} "
            assert state_of(operands) == before


LISTS = [case for case in ROW_CASES if case.row.has_lists]


@pytest.mark.parametrize("case", LISTS, ids=[case.row.name for case in LISTS])
def test_every_row_names_the_element_that_is_no_tensor(case):
    for operand in case.row.operands:
        for seen, value in BAD.items():
            operands = operands_of(case)
            if not operand.is_list or not operands[operand.slot]:
                continue
            operands[operand.slot][-1] = value
            rank = len(operands[operand.slot]) - 1
            with pytest.raises(InvalidOperandError) as caught:
                case.row.function(*operands, **case.sample.attrs)
            assert f"but its element {rank} is {seen}." in caught.value.message


INPLACE = [case for case in ROW_CASES if case.row.inplace_function is not None]


@pytest.mark.parametrize("case", INPLACE, ids=[case.row.name for case in INPLACE])
def test_every_row_in_place_names_what_it_cannot_write(case):
    row, attrs = case.row, case.sample.attrs
    for seen, value in BAD.items():
        operands = [value, *operands_of(case)[1:]]
        before = state_of(operands)
        with pytest.raises(InvalidOperandError) as caught:
            row.inplace_function(*operands, **attrs)
        assert f"{row.name}_(): argument '{row.operands[0].name}' " in caught.value.message
        assert f"must be Tensor, but got {seen}." in caught.value.message
        assert state_of(operands) == before


# ---- Paddle


def floats():
    return paddle.to_tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


def integers():
    return paddle.to_tensor([0, 0])


ARRAY = np.ones((2, 3), np.float32)
RECORDED = [  # the error texts of Paddle 3.3.1, all of them ValueErrors
    (lambda: paddle.add(ARRAY, floats()), "add(): argument 'x' (position 0)", "numpy.ndarray"),
    (lambda: paddle.multiply(floats(), "text"), "multiply(): argument 'y' (position 1)", "str"),
    (lambda: paddle.pow(None, 2), "pow(): argument 'x' (position 0)", "None"),
    (lambda: paddle.matmul(floats(), ARRAY), "matmul(): argument 'y' (position 1)",
     "numpy.ndarray"),
    (lambda: paddle.tanh(np.float32(2)), "tanh(): argument 'x' (position 0)", "numpy.float32"),
    (lambda: paddle.exp([1.0, 2.0]), "exp(): argument 'x' (position 0)", "list"),
    (lambda: paddle.sum(Plain()), "sum(): argument 'x' (position 0)", "Plain"),
    (lambda: paddle.mean(2.5), "mean(): argument 'x' (position 0)", "float"),
    (lambda: paddle.max(ARRAY), "max(): argument 'x' (position 0)", "numpy.ndarray"),
    (lambda: paddle.argmax(3), "argmax(): argument 'x' (position 0)", "int"),
    (lambda: paddle.reshape(ARRAY, [-1]), "reshape(): argument 'x' (position 0)", "numpy.ndarray"),
    (lambda: paddle.gather(ARRAY, integers()), "gather(): argument 'x' (position 0)",
     "numpy.ndarray"),
    (lambda: F.embedding(ARRAY, floats()), "embedding(): argument 'x' (position 0)",
     "numpy.ndarray"),
    (lambda: F.embedding(integers(), ARRAY), "embedding(): argument 'weight' (position 1)",
     "numpy.ndarray"),
    (lambda: F.softmax(ARRAY), "softmax(): argument 'x' (position 0)", "numpy.ndarray"),
    (lambda: F.relu("text"), "relu(): argument 'x' (position 0)", "str"),
    (lambda: paddle.masked_select(floats(), ARRAY), "masked_select(): argument 'mask' (position 1)",
     "numpy.ndarray"),
    (lambda: F.one_hot(None, 3), "one_hot(): argument 'x' (position 0)", "None"),
    (lambda: paddle.vision.ops.nms("text"), "nms(): argument", "str"),
    (lambda: paddle.tanh_(ARRAY), "tanh_(): argument 'x' (position 0)", "numpy.ndarray"),
    (lambda: paddle.isnan(ARRAY), "isnan(): argument 'x' (position 0)", "numpy.ndarray"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "begins", "seen"), RECORDED, ids=[each[1] for each in RECORDED])
def test_the_message_is_paddles(call, begins, seen):
    with pytest.raises(ValueError, match=re.escape(f"(InvalidArgument) {begins}")) as caught:
        call()
    assert f"but got {seen}." in str(caught.value)
    assert isinstance(caught.value, TypeError)


@pytest.mark.parametrize("expression", [
    "x + a", "a + x", "x - a", "a - x", "x * a", "a * x", "x / a", "a / x", "x // a", "a // x",
    "x % a", "a % x", "x ** a", "a ** x", "x > a", "a > x", "x >= a", "x < a", "x <= a", "x == a",
    "x != a", "x @ a.T", "a.T @ x", "x + np.float32(2)", "2 - x",
])  # fmt: skip
def test_operators_take_numpy_arrays_as_paddles_do(expression):
    x = floats()
    x.stop_gradient = False
    found = eval(expression, {"x": x, "a": ARRAY, "np": np})
    expected = eval(expression, {"x": x.numpy(), "a": ARRAY, "np": np})
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-6)
    assert found.stop_gradient == ("//" in expression or found.dtype == paddle.bool)


@pytest.mark.parametrize("operator", ["&", "|", "^", "<<", ">>"])
def test_operators_of_bits_refuse_them_as_paddles_do(operator):
    with pytest.raises(InvalidOperandError, match=r"must be .*Tensor, but got numpy\.ndarray"):
        eval(f"x {operator} a", {"x": integers(), "a": np.array([0, 1])})


def test_an_array_of_jax_is_an_operand_of_an_op_and_no_tensor_elsewhere():
    assert paddle.tanh(jnp.zeros(2)).tolist() == [0.0, 0.0]
    with pytest.raises(InvalidOperandError, match=r"must be Tensor, but got jax\.Array\. Make it"):
        paddle.tanh_(jnp.zeros(2))


@pytest.mark.parametrize(("value", "advice"), [
    (ARRAY, "Make it one: paddle.to_tensor(x)."),
    ([1.0], "Make it one: paddle.to_tensor(x)."),
    (None, "It may not be left out."),
    ("text", "paddle.to_tensor makes Tensors of numbers, lists and arrays."),
])  # fmt: skip
def test_the_message_says_what_to_do(value, advice):
    with pytest.raises(InvalidOperandError) as caught:
        paddle.tanh(value)
    assert caught.value.message.endswith(advice)


class Staged(events.Observer):
    """A tool that makes every call take the general path."""

    def call_began(self, call):
        pass


@pytest.mark.parametrize("around", [
    contextlib.nullcontext,
    paddle.no_grad,
    paddle.amp.auto_cast,
    lambda: paddle.amp.auto_cast(level="O2"),
    lambda: events.observing(Staged()),
])  # fmt: skip
def test_whatever_is_on(around):
    with around(), pytest.raises(InvalidOperandError, match=r"matmul.*'x'.*got numpy\.ndarray"):
        paddle.matmul(ARRAY, floats())


# ---- functions that are written by hand

SPACES = {
    "paddle": paddle, "F": F, "linalg": paddle.linalg, "fft": paddle.fft, "signal": paddle.signal,
    "sparse": paddle.sparse, "sparse.F": paddle.sparse.nn.functional,
    "vision.ops": paddle.vision.ops, "geometric": paddle.geometric, "incubate": paddle.incubate,
    "metric": paddle.metric,
}  # fmt: skip
ALL_OF_TENSORS = ("sparse", "sparse.F", "vision.ops", "geometric")
TAKES_ANYTHING = {"is_tensor", "positive"}
NUMBER_OR_TENSOR = {"normal"}  # float() refuses any other type


def functions():
    """Yield (id, function) of the functions written by hand whose own example calls them."""
    for space, module in SPACES.items():
        for name, function in sorted(vars(module).items()):
            if not isinstance(function, types.FunctionType) or hasattr(function, "row"):
                continue
            is_of_tensors = hasattr(function, "__wrapped__") or space in ALL_OF_TENSORS
            if is_of_tensors and re.search(rf"paddle[\w.]*\.{name}\(", function.__doc__ or ""):
                yield f"{space}.{name}", function


FUNCTIONS = dict(functions())


def run_examples(text: str) -> None:
    """Run the examples of a docstring, whatever they print or raise."""
    scope = {"paddle": paddle}
    for example in doctest.DocTestParser().get_examples(text):
        with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(Exception):
            exec(compile(example.source, "<example>", "single"), scope)


def is_tensor(value) -> bool:
    return hasattr(value, "_storage")


def bad_calls(arguments: tuple, given: dict):
    """Yield a call with one Tensor, list or element replaced, and the replacement."""
    for seen, bad in BAD.items():
        for place, value in enumerate(arguments):
            before, after = arguments[:place], arguments[place + 1 :]
            if is_tensor(value):
                yield (
                    (*before, on_host(value) if seen == "numpy.ndarray" else bad, *after),
                    given,
                    seen,
                )
            if isinstance(value, (list, tuple)) and value and is_tensor(value[0]):
                yield (*before, bad, *after), given, seen
                yield (*before, [bad, *value[1:]], *after), given, seen
        for name, value in given.items():
            if is_tensor(value):
                yield arguments, given | {name: bad}, seen


def on_host(value):
    """Return a Tensor's values as a NumPy array; any array for one that is sparse."""
    return value.numpy() if isinstance(value, paddle.Tensor) else ARRAY


def outcome_of(function, arguments: tuple, given: dict):
    """Return the error of a call, None if it raises nothing."""
    try:
        function(*arguments, **given)
    except Exception as error:
        return error
    return None


def check_refused(name: str, function, arguments: tuple, given: dict) -> None:
    """Check that a call with an operand that is not a Tensor raises a clear error."""
    for bad_arguments, bad_given, seen in bad_calls(arguments, given):
        error = outcome_of(function, bad_arguments, bad_given)
        if error is None:  # left out, or only its shape counts
            assert seen in ("None", "numpy.ndarray") or name in TAKES_ANYTHING
        elif isinstance(error, InvalidOperandError):
            assert re.search(MESSAGE, error.message), seen
        else:  # some texts add to the statement that it is not a Tensor
            assert isinstance(error, JaxEagerError) or name in NUMBER_OR_TENSOR, (seen, error)


@pytest.mark.parametrize("name", every(3, FUNCTIONS))
def test_a_function_says_what_is_no_tensor(name, monkeypatch):
    function, calls = FUNCTIONS[name], []

    def recorded(*arguments, **given):
        calls.append((arguments, given))
        return function(*arguments, **given)

    for module in SPACES.values():
        for alias in [each for each, found in vars(module).items() if found is function]:
            monkeypatch.setattr(module, alias, recorded)
    run_examples(function.__doc__)
    monkeypatch.undo()
    assert calls
    for arguments, given in calls[:2]:
        check_refused(function.__name__, function, arguments, given)


LAYERS = {
    f"{space}.{name}": layer
    for space, module in (("nn", paddle.nn), ("sparse.nn", paddle.sparse.nn))
    for name, layer in sorted(vars(module).items())
    if isinstance(layer, type) and issubclass(layer, Layer) and ">>>" in (layer.__doc__ or "")
}


@pytest.mark.parametrize("name", every(3, LAYERS))
def test_a_layer_says_what_is_no_tensor(name, monkeypatch):
    kind, calls = LAYERS[name], []
    call = Layer.__call__

    def recorded(layer, *arguments, **given):
        if type(layer) is kind:
            calls.append((layer, arguments, given))
        return call(layer, *arguments, **given)

    monkeypatch.setattr(Layer, "__call__", recorded)
    run_examples(kind.__doc__)
    monkeypatch.undo()
    for layer, arguments, given in calls[:1]:
        name = "is_tensor" if kind is paddle.nn.Identity else kind.__name__
        check_refused(name, layer, arguments, given)


# ---- whose fault it is


@names_operands
def doubled(x, others=(), note=None, axis=0):
    for other in others:
        assert other.shape == x.shape
    if note is not None:
        note.say()
    return x + x._array * 0 + x


@pytest.mark.parametrize(("arguments", "given", "message"), [
    ((ARRAY,), {}, "doubled(): argument 'x' (position 0) must be Tensor, but got numpy.ndarray."),
    ((), {"x": 3}, "doubled(): argument 'x' (position 0) must be Tensor, but got int."),
    ((None,), {}, "doubled(): argument 'x' (position 0) must be Tensor, but got None."),
    ((3,), {"axis": 3}, "doubled(): argument 'x' (position 0) must be Tensor, but got int."),
    (
        (floats(), [floats(), "text"]), {},
        "doubled(): argument 'others' (position 1) must be list of Tensors, but its element 1 is "
        "str.",
    ),
])  # fmt: skip
def test_the_argument_at_fault_is_named(arguments, given, message):
    with pytest.raises(InvalidOperandError) as caught:
        doubled(*arguments, **given)
    assert caught.value.message.startswith(message)
    assert caught.value.__suppress_context__


def test_an_attribute_that_no_tensor_has_is_another_error():
    with pytest.raises(AttributeError, match="no attribute 'say'"):
        doubled(floats(), note=Plain())


def test_an_error_that_was_raised_by_hand_is_left_alone():
    @names_operands
    def raising(x):
        raise AttributeError("by hand")

    with pytest.raises(AttributeError, match="by hand"):
        raising(ARRAY)


def test_an_error_raised_by_a_users_layer_is_not_replaced():
    class Reading(Layer):
        def forward(self, batch):
            return batch.shape

    with pytest.raises(AttributeError, match="'Plain' object has no attribute 'shape'"):
        Reading()(Plain())


def test_a_layer_of_the_package_names_its_input_with_hooks_too():
    layer = paddle.nn.BatchNorm2D(3)
    message = r"BatchNorm2D\(\): argument 'input' \(position 0\) must be Tensor, but got Plain"
    with pytest.raises(InvalidOperandError, match=message):
        layer(Plain())
    layer.register_forward_pre_hook(lambda layer, inputs: None)
    with pytest.raises(InvalidOperandError, match=message):
        layer(Plain())


@pytest.mark.parametrize(("call", "begins"), [
    (lambda: F.layer_norm(floats(), 3, ARRAY), "layer_norm(): argument 'weight' (position 2)"),
    (lambda: F.avg_pool1d(ARRAY[None], 1), "avg_pool1d(): argument 'x' (position 0)"),
    (lambda: F.cross_entropy(floats(), ARRAY), "cross_entropy(): argument 'label' (position 1)"),
    (lambda: paddle.transpose(ARRAY, [1, 0]), "transpose(): argument 'x' (position 0)"),
    (lambda: paddle.linalg.cov(ARRAY), "cov(): argument 'x' (position 0)"),
    (lambda: paddle.signal.stft("text", 2), "stft(): argument 'x' (position 0)"),
    (lambda: paddle.hstack(Plain()), "hstack(): argument 'x' (position 0) must be list of Tensors"),
])  # fmt: skip
def test_a_function_that_runs_ops_names_itself_and_its_own_argument(call, begins):
    with pytest.raises(InvalidOperandError) as caught:
        call()
    assert caught.value.message.startswith(begins)


def test_the_error_goes_to_another_process_without_the_operand():
    with pytest.raises(InvalidOperandError) as caught:
        paddle.tanh(lambda: None)
    assert caught.value.operand is not None
    again = pickle.loads(pickle.dumps(caught.value))
    assert again.operand is None
    assert (again.message, again.wanted) == (caught.value.message, "Tensor")


def test_further_names_of_parameters_are_named_as_the_parameter():
    with pytest.raises(InvalidOperandError, match=r"reshape\(\): argument 'x' \(position 0\)"):
        paddle.reshape(input=ARRAY, shape=[-1])
