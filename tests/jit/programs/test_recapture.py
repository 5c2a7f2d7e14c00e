"""Why a whole graph was captured again: its log, the report of compilations, the warnings."""

import logging

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager import nn
from jaxeager.errors import PreconditionNotMetError
from tests.support.here import IS_ON_CPU

SCALE = 2.0


class Settings:
    """An object that is compared by identity."""


class Key:
    """A key of a dict whose text cannot be made."""

    def __repr__(self):
        raise RuntimeError("no text")


@pytest.fixture
def causes(caplog):
    """Return a function that returns why programs were captured since its last call."""
    caplog.set_level(logging.INFO, "jaxeager.jit")

    def read():
        found = [record.getMessage().split("captured again: ")[1] for record in caplog.records]
        caplog.clear()
        return found

    return read


def whole(function):
    return paddle.jit.to_static(function, full_graph=True)


def ones(*shape, stops=True):
    x = paddle.ones(list(shape))
    x.stop_gradient = stops
    return x


# ---- arguments


CALLS = {
    "shape": (lambda f: (f(ones(2)), f(ones(3))), ["shape of x: [2], [3]"]),
    "rank": (lambda f: (f(ones(2)), f(ones(2, 1))), ["shape of x: [2], [2, 1]"]),
    "dtype": (lambda f: (f(ones(2)), f(ones(2).cast("float64"))), ["dtype of x: float32, float64"]),
    "stop_gradient": (
        lambda f: (f(ones(2)), f(ones(2, stops=False))),
        ["stop_gradient of x: True, False"],
    ),
    "array": (lambda f: (f(ones(2)), f(np.ones([3], "float32"))), ["shape of x: [2], [3]"]),
    "number": (lambda f: (f(ones(2), 2), f(ones(2), 3)), ["more: 2, 3"]),
    "kind of number": (lambda f: (f(ones(2), 2), f(ones(2), 2.0)), ["more: 2, 2.0"]),
    "default": (lambda f: (f(ones(2)), f(ones(2), 3)), ["more: 1, 3"]),
    "form": (
        lambda f: (f(ones(2), 3), f(ones(2), more=3)),
        ["arguments by position, and names of others: 2, 1, more"],
    ),
    "object": (
        lambda f: (f(ones(2), other=Settings()), f(ones(2), other=Settings())),
        ["other: a Settings, another Settings"],
    ),
    "list": (
        lambda f: (f([ones(2), 5]), f([ones(2), 5, 6]), f([ones(2), 5, 7]), f([ones(4), 5, 7])),
        [
            "length of x: 2, 3; x[2]: nothing, 6",
            "x[2]: 6, 7",
            "shape of x[0]: [2], [4]",
        ],
    ),
    "dict": (
        lambda f: (f({"a": ones(2)}), f({"a": ones(3)}), f({"b": ones(3)})),
        [
            "shape of x['a']: [2], [3]",
            "keys of x: ['a'], ['b']; x['a']: a tensor, nothing; ...",
        ],
    ),
    "slice": (
        lambda f: (f(ones(2), other=slice(1, 2)), f(ones(2), other=slice(1, 3))),
        ["other: slice(1, 2, None), slice(1, 3, None)"],
    ),
    "text": (
        lambda f: (f(ones(2), other="mean"), f(ones(2), other="sum" * 40)),
        ["other: 'mean', 'sumsumsumsumsumsumsumsumsumsumsumsumsumsumsumsumsumsumsu..."],
    ),
    "without a text": (
        lambda f: (f({Key: ones(2)}), f({Key: ones(3)})),
        ["shape of x[type]: [2], [3]"],
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_an_argument_that_differs_is_named(name, causes):
    calls, expected = CALLS[name]

    def function(x, more=1, other=None):
        end = x
        while isinstance(end, (list, dict)):
            end = next(iter(end.values())) if isinstance(end, dict) else end[0]
        return end * more

    calls(whole(function))
    assert causes() == expected


def test_the_most_similar_earlier_call_is_compared(causes):
    f = whole(lambda x, y, k: x.sum() + y.sum() * k)
    f(ones(2), ones(3), 1)
    f(ones(4), ones(5), 2)
    causes()
    f(ones(2), ones(3), 3)
    assert causes() == ["k: 1, 3"]


def test_the_same_tensor_twice(causes):
    f = whole(lambda x, y: x + y)
    x = ones(2)
    f(x, ones(2))
    f(x, x)
    assert causes() == ["y: a tensor, the same tensor as x"]


class Unfriendly:
    """An object that can only be passed on."""

    def _fail(self, *_):
        raise RuntimeError("not to be called")

    __repr__ = __eq__ = __len__ = __bool__ = __iter__ = __getattr__ = _fail
    __hash__ = object.__hash__


class UnfriendlyList(list):
    __iter__ = __len__ = __repr__ = Unfriendly._fail


class UnfriendlyDict(dict):
    __iter__ = items = __repr__ = Unfriendly._fail


class UnfriendlyFloat(float):
    __repr__ = Unfriendly._fail


class UnfriendlyCallable:
    @property
    def __signature__(self):
        raise RuntimeError("no signature")

    def __call__(self, x, other=None):
        return x * 2


ITSELF: list = [1]
ITSELF.append(ITSELF)


DEFAULTS = {
    "object": Unfriendly(),
    "list": UnfriendlyList([1]),
    "dict": UnfriendlyDict(a=1),
    "list in itself": ITSELF,
    "dict of it": {"a": ITSELF},
}


@pytest.mark.parametrize("name", DEFAULTS)
def test_a_default_is_not_looked_into(name, causes):
    def function(x, other=DEFAULTS[name]):
        return x * 2

    f = whole(function)
    assert f(ones(2)).tolist() == [2.0, 2.0]
    f(ones(3))
    assert causes() == ["shape of x: [2], [3]"]


PAIRS = {
    "objects": (Unfriendly(), Unfriendly(), "other: a Unfriendly, another Unfriendly"),
    "list": (UnfriendlyList([1]), 2, "other: a UnfriendlyList, 2"),
    "digits": (10**5000, 10**5001, "other: a int, another int"),
    "key": ({UnfriendlyFloat(1): 1}, {UnfriendlyFloat(1): 2}, "other[UnfriendlyFloat]: 1, 2"),
    "tuple": (
        {("a", 1): 1, ("a", 2): 2},
        {("a", 1): 3, ("a", 2): 2},
        "other[['a', 1]]: 1, 3",
    ),
}


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("has_signature", [True, False])
def test_arguments_whose_methods_fail(name, has_signature, causes):
    def function(x, other):
        return x * 2

    one, two, expected = PAIRS[name]
    f = whole(function if has_signature else UnfriendlyCallable())
    f(ones(2), one)
    assert f(ones(2), two).tolist() == [2.0, 2.0]
    assert causes() == [expected if has_signature else expected.replace("other", "argument 1", 1)]


def test_equal_keys_of_dicts_are_no_difference(causes):
    class Name:
        def __init__(self, text):
            self.text = text

        def __hash__(self):
            return hash(self.text)

        def __eq__(self, other):
            return self.text == other.text

    f = whole(lambda d: next(iter(d.values())) * 2)
    f({Name("a"): ones(2), Name("b"): 1})
    f({Name("a"): ones(2), Name("b"): 2})
    assert causes() == ["d[Name, number 1]: 1, 2"]


def test_names_that_contain_others(causes):
    f = whole(lambda x, x2, max: x2 * x)
    f(1, ones(2), [ones(1)])
    f(2, ones(3), [ones(1)])
    assert causes() == ["x: 1, 2; shape of x2: [2], [3]"]


@pytest.mark.single_calls
def test_few_of_many_differences_are_kept(no_kernel_files):
    paddle.debug.compilations(forget=True)

    def first_of_many(each):
        return each[0] * 2

    f = whole(first_of_many)
    for length in (2, 3):
        f([ones(length) for _ in range(40)])
    calls = {call.name: call for call in paddle.debug.compilations().calls}
    assert len(calls["first_of_many()"].changes) == 16


# ---- the state around a call


def test_variables_that_the_function_names(causes, monkeypatch):
    added = 1.0
    f = whole(lambda x: x * SCALE + added)
    f(ones(2))
    monkeypatch.setitem(globals(), "SCALE", 3.0)
    f(ones(2))
    added = 5.0
    f(ones(2))
    assert causes() == ["global SCALE: 2.0, 3.0", "added: 1.0, 5.0"]


def test_modes(causes):
    f = whole(lambda x: x.matmul(x))
    f(ones(2, 2))
    with paddle.no_grad():
        f(ones(2, 2))
    with paddle.amp.auto_cast(dtype="bfloat16"):
        f(ones(2, 2))
    with paddle.amp.auto_cast(dtype="bfloat16", custom_black_list=["matmul"]):
        f(ones(2, 2))
    assert causes() == [
        "gradient recording: on, off",
        "mixed precision: off, O1 bfloat16",
        "ops of mixed precision: as captured, others",
    ]


def test_layers(causes):
    net = nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.5))
    first, dropout = net[0].full_name(), net[1].full_name()
    f = whole(lambda x: net(x))
    f(ones(1, 2))
    net[1].p = 0.25
    f(ones(1, 2))
    net[0].weight = paddle.create_parameter([2, 2], "float32")
    f(ones(1, 2))
    net[0].register_forward_post_hook(lambda *_: None)
    f(ones(1, 2))
    assert causes() == [
        f"{dropout}.p: 0.5, 0.25",
        f"{first}.weight: an object, another object",
        f"hooks of {first}: [], [an object]",
    ]


def test_a_layer_whose_name_cannot_be_read(causes):
    class Nameless(nn.Layer):
        def full_name(self):
            raise RuntimeError("no name")

        def forward(self, x):
            return x * self.factor

    layer = Nameless()
    layer.factor = 2
    f = whole(lambda x: layer(x))
    f(ones(2))
    layer.factor = 3
    assert f(ones(2)).tolist() == [3.0, 3.0]
    assert causes() == [f"{nn.Layer.full_name(layer)}.factor: 2, 3"]


def test_a_buffer_that_one_program_replaces(causes):
    class Counting(nn.Layer):
        def __init__(self):
            super().__init__()
            self.register_buffer("seen", ones(2))

        def forward(self, x, counts):
            if counts:
                self.seen = self.seen + x
            return x * self.seen

    layer = Counting()
    f = whole(lambda x, counts: layer(x, counts))
    f(ones(2), False)
    f(ones(2), True)
    name = layer.full_name()
    assert causes() == [
        f"counts: False, True; {name}.seen: an object, replaced by a program",
    ]


def test_a_layer_that_is_called_once_more(causes):
    nets = nn.Linear(2, 2), nn.Linear(2, 2)

    def through(x, at):
        return nets[at](x)

    f = whole(lambda x, is_second: through(x, int(is_second)))
    f(ones(1, 2), False)
    f(ones(1, 2), True)
    (cause,) = causes()
    name = nets[1].full_name()
    assert cause == f"is_second: False, True; number of Layers that it uses ({name}): 1, 2"


def test_tensors_that_the_function_uses(causes):
    w = ones(2, stops=False)
    f = whole(lambda x: x * w)
    f(ones(2))
    w.stop_gradient = True
    f(ones(2))
    assert causes() == [f"stop_gradient of {w.name}: False, True"]


def test_gradients_and_hooks_of_a_step(causes):
    w = paddle.create_parameter([2], "float32")

    def step(x):
        (x * w).sum().backward()

    f = whole(step)
    f(ones(2))
    f(ones(2))
    w.clear_gradient(False)
    w.register_hook(lambda grad: grad * 2)
    f(ones(2))
    assert causes() == [
        f"gradient of {w.name}: absent, present",
        f"hooks of {w.name}: 0, 1",
    ]


def test_another_hook_instead_of_one(causes):
    w = paddle.create_parameter([2], "float32")

    def step(x):
        (x * w).sum().backward()

    f = whole(step)
    hook = w.register_hook(lambda grad: grad * 2)
    f(ones(2))
    hook.remove()
    w.clear_gradient(False)
    w.register_hook(lambda grad: grad * 3)
    f(ones(2))
    assert causes() == [f"hooks of {w.name}: as captured, others"]


def test_the_clip_of_a_step(causes):
    w = paddle.create_parameter([2], "float32")
    sgd = paddle.optimizer.SGD(0.1, parameters=[w])

    def step(x):
        (x * w).sum().backward()
        sgd.step()
        sgd.clear_grad(False)

    f = whole(step)
    f(ones(2))
    sgd._grad_clip = nn.ClipGradByGlobalNorm(1.0)
    f(ones(2))
    assert causes() == ["settings of an optimizer: as captured, others"]


def test_a_tensor_with_another_shape(causes):
    w = ones(2)
    f = whole(lambda x: x * w)
    f(ones(2))
    w.set_value(paddle.ones([2]))
    w._array = paddle.ones([1])._array
    assert f(ones(2)).tolist() == [1.0, 1.0]
    assert causes() == []  # the only program was dropped: this is the first again


def test_a_program_that_was_dropped(causes):
    factor = 0
    f = whole(lambda x: x * factor)
    for factor in range(17):  # noqa: B007 - the function reads it
        f(ones(2))
    assert causes() == [f"factor: {at}, {at + 1}" for at in range(16)]
    factor = 1
    f(ones(2))  # the first one was dropped, this one was not
    assert causes() == []
    factor = 0
    f(ones(2))
    assert causes() == ["factor: 16, 0"]


# ---- where it is shown


@pytest.mark.single_calls
def test_the_report_of_compilations(no_kernel_files):
    paddle.debug.compilations(forget=True)

    def tripled_and_more(x, k):
        return (x * 3).sum() * k

    f = whole(tripled_and_more)
    for length, k in ((3, 1), (4, 1), (4, 2), (4, 2)):
        f(ones(length), k)
    calls = {call.name: call for call in paddle.debug.compilations().calls}
    call = calls["tripled_and_more()"]
    assert call.kernels == 3
    assert list(map(str, call.changes)) == ["shape of x: [3], [4]", "k: 1, 2"]


@pytest.mark.single_calls
def test_the_gradient_of_a_gradient_has_the_cause_of_its_program(no_kernel_files):
    paddle.debug.compilations(forget=True)

    def cubed(x):
        return (x**3).sum()

    f = whole(cubed)
    for length in (3, 4):
        x = ones(length, stops=False)
        (grad,) = paddle.grad(f(x), x, create_graph=True)
        grad.sum().backward()
    calls = {call.name: call for call in paddle.debug.compilations().calls}
    assert list(map(str, calls["cubed_grad()"].changes)) == ["shape of x: [3], [4]"]


@pytest.mark.skipif(not IS_ON_CPU, reason="kernels of a GPU are compiled in other steps")
def test_no_compile_names_the_cause():
    f = whole(lambda x: (x * 3 - 1).sum())
    f(ones(3))
    with (
        pytest.raises(PreconditionNotMetError, match=r"shape of x: \[3\], \[4\]"),
        paddle.debug.no_compile(),
    ):
        f(paddle.to_tensor(np.ones([4], "float32")))


def test_the_warning_of_many_programs_names_the_last_difference(caplog):
    caplog.set_level(logging.WARNING, "jaxeager.jit")
    f = whole(lambda x, k: x * k)
    for shape in (1, 2):
        for k in range(16):
            f(ones(shape), k)
    (record,) = caplog.records
    assert "has 32 programs; the last one differs in k: 14, 15" in record.getMessage()
