"""Every further name of a parameter that Paddle 3.3.1 takes, in functions, methods and layers.

They are read off Paddle (`tools/record_paddle_aliases.py`). That a name means the right parameter
is tested for all; what functions of the op table then compute in test_keyword_aliases.py, what
layers and the others do here.
"""

import inspect
import json
import pathlib
from functools import reduce

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.core.further_names import also_named, other_order, renames_in, without
from jaxeager.errors import InvalidTypeError, RepeatedArgumentError
from jaxeager.nn.layer.further_names import _TABLE as LAYERS
from jaxeager.ops.call.keywords import KEYWORDS

FILE = pathlib.Path(__file__).with_name("paddle_aliases.json")
LINES = json.loads(FILE.read_text(encoding="utf-8"))["aliases"]
RECORDED = {name: renames_in(words) for words, names in LINES.items() for name in names.split()}
# Names in the table that cannot be asked for by calling Paddle: its process ends, or it wants two.
UNASKED = {"index_put_", "transpose"}
SAME_HERE = {"standard_normal"}  # randn, which has the names, is another function in Paddle


def place_of(name: str):
    """Return the function of a public name."""
    return reduce(getattr, name.removeprefix("paddle.").split("."), paddle)


@pytest.mark.parametrize("words", LINES)
def test_a_further_name_means_paddles_parameter(words):
    for name in LINES[words].split():
        function = place_of(name)
        parameters = inspect.signature(function).parameters
        assert renames_in(words).items() <= function.further_names.items(), name
        assert {*renames_in(words).values()} <= parameters.keys(), name
        assert not parameters.keys() & renames_in(words), name


@pytest.mark.parametrize("words", LINES)
def test_a_further_name_and_its_own_are_refused_together(words):
    """Paddle raises TypeError or ValueError, by the function; the error here is both."""
    for name in LINES[words].split():
        function, mark = place_of(name), object()
        parameters = inspect.signature(function).parameters.values()
        given = {
            each.name: mark
            for each in parameters
            if each.default is each.empty and each.kind is each.POSITIONAL_OR_KEYWORD
        }
        for further, own in renames_in(words).items():
            with pytest.raises(RepeatedArgumentError, match=f"values for argument '{own}'"):
                function(**{**given, own: mark, further: mark})


def test_no_name_is_accepted_that_paddle_does_not_take():
    """The tables have recorded names alone."""
    recorded = {name.removeprefix("nn.functional.").removeprefix("paddle."): each
                for name, each in reversed(RECORDED.items())}  # fmt: skip
    for name, keywords in KEYWORDS.items():
        plain = name.removeprefix("F.")
        found = recorded.get(plain) or recorded.get(f"Tensor.{plain}", {})
        if plain not in UNASKED | SAME_HERE:
            assert keywords.renames == {k: found.get(k) for k in keywords.renames}, name
    layers = {f"nn.{place}" for places in LAYERS.values() for place in places.split()}
    assert {each.removesuffix(".__init__") for each in RECORDED} >= layers


# ---- what layers, their methods and other functions do with the names


def floats(*shape):
    return paddle.to_tensor(np.linspace(-1.0, 2.0, int(np.prod(shape)), dtype="float32")).reshape(
        shape
    )


def described(result):
    """Return what can be compared of a result."""
    if isinstance(result, paddle.nn.Layer):
        state = {k: v.shape for k, v in result.state_dict().items()}
        return [repr(result), result.extra_repr(), state]
    if isinstance(result, (list, tuple)):
        return [described(each) for each in result]
    if hasattr(result, "__next__"):
        return sorted(name for name, _ in result)
    if hasattr(result, "to_dense"):
        result = result.to_dense()
    return result.numpy().tolist() if hasattr(result, "numpy") else repr(result)


class Net(paddle.nn.Layer):
    """A layer with a buffer and a sublayer."""

    def __init__(self):
        super().__init__()
        self.register_buffer("steps", paddle.zeros([1]))
        self.inner = paddle.nn.Sequential(paddle.nn.ReLU())
        self.inner.register_buffer("more", paddle.zeros([1]))


MADE = {}


def layer(text: str):
    """Return a layer that an expression makes, always the same one."""
    if text not in MADE:
        MADE[text] = eval(text, {"nn": paddle.nn, "Net": Net})  # of this file
    return MADE[text]


def state_after(method: str, net, /, **given):
    """Return what a layer contains after a call of its method."""
    result = getattr(net, method)(**given)
    return [described(net), described(result), sorted(dict(net.named_buffers()))]


X, SIGNAL, IMAGE = floats(2, 6), floats(1, 2, 6), floats(1, 2, 4, 4)
VOLUME = floats(1, 2, 4, 4, 4)
HERMITIAN = floats(4, 3)
FOLD = {
    "output_sizes": [3, 3], "kernel_sizes": [2, 2], "strides": 1, "paddings": 0, "dilations": 1,
}  # fmt: skip
MAX_POOLS = {"output_size": 2, "return_mask": True}
FFT = {"x": HERMITIAN, "axis": 0}
FFT_OF_SEVERAL = {"x": HERMITIAN, "axes": [0, 1]}
UNPOOL = {"x": floats(1, 1, 2), "indices": paddle.to_tensor([[[0, 3]]], dtype="int32")}
CONTENTS = {"sublayers": [paddle.nn.ReLU()]}
PAIRS = {"sublayers": [("a", paddle.nn.ReLU())]}
EVERY = {"include_sublayers": False}
STATE = {"state_dict": {"steps": paddle.ones([1]), "inner.more": paddle.ones([1])}}
# The arguments of each by its own parameters, and how it is called if not as it is.
CALLS = {
    "nn.CosineSimilarity.__init__": {"axis": 0},
    "nn.GLU.__init__": {"axis": 0},
    "nn.GroupNorm.__init__": {"num_groups": 1, "num_channels": 2, "epsilon": 0.25},
    "nn.LayerNorm.__init__": {"normalized_shape": [6], "epsilon": 0.25},
    "nn.PairwiseDistance.__init__": {"epsilon": 0.25},
    "nn.Fold.__init__": FOLD,
    "nn.Hardshrink.__init__": {"threshold": 0.25},
    "nn.Softshrink.__init__": {"threshold": 0.25},
    "nn.AdaptiveMaxPool1D.__init__": MAX_POOLS,
    "nn.AdaptiveMaxPool2D.__init__": MAX_POOLS,
    "nn.AdaptiveMaxPool3D.__init__": MAX_POOLS,
    "nn.LayerList.__init__": CONTENTS,
    "nn.LayerDict.__init__": PAIRS,
    "nn.AdaptiveAvgPool2D.forward": (layer("nn.AdaptiveAvgPool2D(2)"), {"x": IMAGE}),
    "nn.AdaptiveAvgPool3D.forward": (layer("nn.AdaptiveAvgPool3D(2)"), {"x": VOLUME}),
    "nn.AdaptiveMaxPool2D.forward": (layer("nn.AdaptiveMaxPool2D(2)"), {"x": IMAGE}),
    "nn.AdaptiveMaxPool3D.forward": (layer("nn.AdaptiveMaxPool3D(2)"), {"x": VOLUME}),
    "nn.Conv1D.forward": (layer("nn.Conv1D(2, 1, 2)"), {"x": SIGNAL}),
    "nn.Conv2D.forward": (layer("nn.Conv2D(2, 1, 2)"), {"x": IMAGE}),
    "nn.Conv3D.forward": (layer("nn.Conv3D(2, 1, 2)"), {"x": VOLUME}),
    "nn.Embedding.forward": (layer("nn.Embedding(3, 2)"), {"x": paddle.to_tensor([2, 0])}),
    "nn.GLU.forward": (layer("nn.GLU()"), {"x": X}),
    "nn.Hardshrink.forward": (layer("nn.Hardshrink()"), {"x": X}),
    "nn.Softshrink.forward": (layer("nn.Softshrink()"), {"x": X}),
    "nn.LPPool1D.forward": (layer("nn.LPPool1D(2, 2)"), {"x": SIGNAL.abs()}),
    "nn.LPPool2D.forward": (layer("nn.LPPool2D(2, 2)"), {"x": IMAGE.abs()}),
    "nn.MaxUnPool1D.forward": (layer("nn.MaxUnPool1D(2)"), UNPOOL),
    "nn.MaxUnPool2D.forward": (
        layer("nn.MaxUnPool2D(2)"), {k: v.reshape([1, 1, 1, 2]) for k, v in UNPOOL.items()},
    ),
    "nn.MaxUnPool3D.forward": (
        layer("nn.MaxUnPool3D(2)"), {k: v.reshape([1, 1, 1, 1, 2]) for k, v in UNPOOL.items()},
    ),
    "nn.UpsamplingBilinear2D.forward": (
        layer("nn.UpsamplingBilinear2D(scale_factor=2)"), {"x": IMAGE},
    ),
    "nn.UpsamplingNearest2D.forward": (
        layer("nn.UpsamplingNearest2D(scale_factor=2)"), {"x": IMAGE},
    ),
    "nn.CrossEntropyLoss.forward": (
        layer("nn.CrossEntropyLoss()"), {"input": X, "label": paddle.to_tensor([1, 0])},
    ),
    "nn.SmoothL1Loss.forward": (layer("nn.SmoothL1Loss()"), {"input": X, "label": X * 2}),
    "nn.PairwiseDistance.forward": (layer("nn.PairwiseDistance()"), {"x": X, "y": X * 2}),
    "nn.Layer.parameters": (layer("nn.Sequential(nn.Linear(1, 1))"), EVERY),
    "nn.Layer.named_parameters": (layer("nn.Sequential(nn.Linear(1, 1))"), EVERY),
    "nn.Layer.buffers": (layer("Net()"), EVERY),
    "nn.Layer.named_buffers": (layer("Net()"), EVERY),
    "nn.Layer.register_buffer": (Net, {"name": "z", "tensor": X, "persistable": False}),
    "nn.Layer.set_sublayer": (Net, {"target": "inner", "layer": paddle.nn.Tanh()}),
    "nn.Layer.set_submodule": (Net, {"target": "inner", "layer": paddle.nn.Tanh()}),
    "nn.Layer.set_state_dict": (Net, STATE),
    "nn.Layer.set_dict": (Net, STATE),
    "nn.Layer.load_dict": (Net, STATE),
    "nn.LayerList.append": (paddle.nn.LayerList, {"sublayer": paddle.nn.Tanh()}),
    "nn.LayerList.insert": (paddle.nn.LayerList, {"index": 0, "sublayer": paddle.nn.Tanh()}),
    "nn.LayerList.extend": (paddle.nn.LayerList, CONTENTS),
    "nn.LayerDict.update": (paddle.nn.LayerDict, PAIRS),
    "paddle.DataParallel.set_state_dict": (lambda: paddle.DataParallel(Net()), STATE),
    "paddle.DataParallel.set_dict": (lambda: paddle.DataParallel(Net()), STATE),
    "paddle.DataParallel.load_dict": (lambda: paddle.DataParallel(Net()), STATE),
    "paddle.finfo": {"dtype": "float16"},
    "sparse.reshape": {"x": paddle.eye(2).to_sparse_coo(2), "shape": [4]},
    "linalg.solve": {"x": paddle.eye(2) * 2, "y": floats(2, 2)},
    "Tensor.solve": {"x": paddle.eye(2) * 2, "y": floats(2, 2)},
    "linalg.norm": {"x": X, "p": 1, "axis": 1},
    "Tensor.norm": {"x": X, "p": 1, "axis": 1},
    "linalg.vector_norm": {"x": X, "p": 1, "axis": 1},
    **{f"fft.{name}": FFT for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")},
    **{
        f"fft.{name}": FFT_OF_SEVERAL
        for name in (
            "fft2 fftn hfft2 hfftn ifft2 ifftn ihfft2 ihfftn irfft2 irfftn rfft2 rfftn "
            "fftshift ifftshift"
        ).split()
    },
}  # fmt: skip


def test_each_of_them_is_called():
    """A function is called below or in test_keyword_aliases.py, maybe under another name of it."""
    called = {id(place_of(name)) for name in CALLS}
    for name in KEYWORDS:
        places = [paddle.nn.functional] if name.startswith("F.") else [paddle, paddle.Tensor]
        called |= {id(getattr(each, name.removeprefix("F."), None)) for each in places}
    assert [name for name in RECORDED if id(place_of(name)) not in called] == []


@pytest.mark.parametrize("name", CALLS)
def test_a_call_by_further_names_gives_the_same(name):
    function, given = place_of(name), CALLS[name]
    method = name.rpartition(".")[2]
    if isinstance(given, tuple):
        owner, given = given

        def function(**given):
            if isinstance(owner, paddle.nn.Layer):
                return getattr(owner, method)(**given)
            return state_after(method, owner(), **given)

    elif method == "__init__":
        function = place_of(name.removesuffix(".__init__"))
    expected = described(function(**given))
    for further, own in RECORDED[name].items():
        others = {key: value for key, value in given.items() if key != own}
        assert described(function(**others, **{further: given[own]})) == expected
    by_own = {own: further for further, own in RECORDED[name].items()}
    assert described(function(**{by_own.get(k, k): v for k, v in given.items()})) == expected


def test_calling_a_layer_with_a_further_name_runs_its_hooks():
    conv = paddle.nn.Conv1D(2, 1, 2)
    seen = []
    conv.register_forward_pre_hook(lambda layer, args, given: seen.append(given), with_kwargs=True)
    assert conv(input=SIGNAL).tolist() == conv(SIGNAL).tolist() == conv(x=SIGNAL).tolist()
    assert [sorted(each) for each in seen] == [["input"], [], ["x"]]


def test_a_derived_layer_has_the_names():
    class Own(paddle.nn.LayerNorm):
        def __init__(self):
            super().__init__([2], eps=0.25)

    assert Own()._epsilon == 0.25
    assert len(Own().parameters(recurse=False)) == 2


def test_an_unknown_name_is_refused():
    with pytest.raises(TypeError, match="unexpected keyword argument 'epsilons'"):
        paddle.nn.LayerNorm([2], epsilons=0.5)


def test_signatures_and_documents_stay():
    plain = paddle.nn.Layer.parameters
    assert str(inspect.signature(plain)).startswith("(self, include_sublayers: 'bool' = True)")
    assert plain.__doc__.startswith("Return the parameters")
    assert plain.__qualname__.endswith("parameters")


# ---- other positions


def test_the_positions_of_other_libraries():
    """They are recorded in `tests/parity/programs/keyword_aliases.py`; these are the errors."""
    functional = paddle.nn.functional
    weight = paddle.to_tensor([1.0, 2.0])
    with pytest.raises(RepeatedArgumentError, match="multiple values for argument 'weight'"):
        functional.group_norm(SIGNAL, 1, weight, weight=weight)
    with pytest.raises(InvalidTypeError, match="at most 5 positional arguments that end with"):
        functional.group_norm(SIGNAL, 1, weight, weight, 0.5, "NCL")


def test_decorators():
    @also_named("b=a")
    @other_order(1, "z y", lambda each: each is None)
    @without("level", 2, int)
    def function(a, y=1, z=2):
        return a, y, z

    assert function(b=1) == function(1) == (1, 1, 2)
    assert function(1, None, 3) == (1, 3, None)
    assert function(1, 3, 4) == (1, 3, 2)
    assert function(1, 3, 4, 5) == (1, 3, 5)
    assert function(1, level="x") == (1, 1, 2)
