"""Tensor and to_tensor: construction, conversion, attributes, pytrees, copies."""

import copy
import pickle

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from tests.support.here import IS_ON_CPU


@pytest.mark.parametrize(
    ("data", "dtype", "shape"),
    [
        (1, "int64", []),
        (1.5, "float32", []),
        (True, "bool", []),
        (1j, "complex64", []),
        ([1, 2], "int64", [2]),
        ([[1.0], [2.0]], "float32", [2, 1]),
        (np.float64(1.5), "float64", []),
        (np.zeros((2, 3), "float16"), "float16", [2, 3]),
        (jnp.zeros((2,), "bfloat16"), "bfloat16", [2]),
        ([], "float32", [0]),
        (range(3), "int64", [3]),
    ],
)
def test_to_tensor_dtype_and_shape(data, dtype, shape):
    tensor = paddle.to_tensor(data)
    assert tensor.dtype == dtype
    assert tensor.shape == shape
    assert tensor.stop_gradient


def test_every_dtype_goes_there_and_back():
    names = (
        "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64 complex128"
    )
    for name in names.split():
        tensor = paddle.to_tensor([0, 1], dtype=name)
        assert tensor.dtype is getattr(paddle, name)
        assert tensor.numpy().dtype.name == name


def test_a_jax_array_is_not_copied_and_a_numpy_array_is():
    array = jnp.arange(3)
    assert paddle.to_tensor(array)._array is array
    source = np.zeros(1024, "float32")
    tensor = paddle.to_tensor(source)
    source[:] = 1
    assert tensor.numpy().sum() == 0
    tensor.numpy()[:] = 5
    assert tensor.numpy().sum() == 0


def test_lists_of_tensors():
    tensor = paddle.to_tensor([paddle.to_tensor(1.0), [paddle.to_tensor(2.0)][0]])
    assert tensor.tolist() == [1.0, 2.0]


def test_bad_data():
    with pytest.raises(InvalidTypeError, match="to_tensor"):
        paddle.to_tensor("text")
    with pytest.raises(InvalidArgumentError, match="different lengths"):
        paddle.to_tensor([[1, 2], [3]])
    with pytest.raises(InvalidTypeError, match="dtype must be one of"):
        paddle.to_tensor(1, dtype="float33")
    with pytest.raises(InvalidArgumentError, match="device"):
        paddle.to_tensor(1, place="gpu:77")


def test_dlpack_both_ways():
    array = jnp.arange(4.0)
    if IS_ON_CPU:  # whose memory NumPy reads
        assert np.from_dlpack(paddle.to_tensor(array)).tolist() == [0.0, 1.0, 2.0, 3.0]

    class Exporter:
        def __dlpack__(self, **kwargs):
            return array.__dlpack__(**kwargs)

        def __dlpack_device__(self):
            return array.__dlpack_device__()

    assert paddle.to_tensor(Exporter()).tolist() == [0.0, 1.0, 2.0, 3.0]


def test_numpy_and_jax_take_it():
    tensor = paddle.to_tensor([1.0, 4.0])
    assert np.asarray(tensor).tolist() == [1.0, 4.0]
    assert np.asarray(tensor, dtype="int32").dtype == np.int32
    assert jnp.sqrt(tensor).tolist() == [1.0, 2.0]
    with pytest.raises(TypeError):
        np.add(tensor, 1)


def test_a_tree_of_parameters_stays_a_tree():
    """optax compares the trees of parameters and of its state, step after step."""
    state = {"a": paddle.nn.Parameter(paddle.ones([2])), "b": paddle.ones([2])}
    state["c"] = paddle.nn.Parameter(paddle.ones([1]), trainable=False)
    for changed in (
        jax.tree.map(lambda p: p * 2, state),
        jax.jit(lambda s: jax.tree.map(lambda p: p * 2, s))(state),
    ):
        assert jax.tree.structure(changed) == jax.tree.structure(state)
        assert [type(each) for each in changed.values()] == [type(e) for e in state.values()]
        assert [each.stop_gradient for each in changed.values()] == [False, True, True]
        (changed["a"] * 3).sum().backward()
        assert changed["a"].grad.tolist() == [3.0, 3.0]
        assert changed["a"].optimize_attr == {"learning_rate": 1.0}


def test_the_shapes_of_a_layers_outputs():
    found = jax.eval_shape(paddle.nn.Linear(2, 3), jax.ShapeDtypeStruct((4, 2), "float32"))
    assert (found.shape, found.dtype) == ([4, 3], paddle.float32)
    assert "ShapeDtypeStruct(shape=(4, 3), dtype=float32)" in repr(found)


def test_pytree():
    tensor = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    leaves, tree = jax.tree_util.tree_flatten({"a": tensor})
    assert isinstance(leaves[0], jax.Array)
    again = jax.tree_util.tree_unflatten(tree, leaves)["a"]
    assert isinstance(again, paddle.Tensor)
    assert not again.stop_gradient

    @jax.jit
    def step(t):
        return (t * t).sum()

    assert step(tensor).item() == 5.0


def test_backward_inside_jit():
    @jax.jit
    def gradient(array):
        x = paddle.to_tensor(array, stop_gradient=False)
        (x * x * x).sum().backward()
        return x.grad

    assert gradient(jnp.array([1.0, 2.0])).tolist() == [3.0, 12.0]


def test_scalars():
    assert float(paddle.to_tensor(2.5)) == 2.5
    assert int(paddle.to_tensor([3])) == 3
    assert [10, 20, 30][paddle.to_tensor(1)] == 20
    assert complex(paddle.to_tensor(1j)) == 1j
    assert paddle.to_tensor([[1.0, 2.0]]).item(1) == 2.0
    assert paddle.to_tensor([[1.0, 2.0]]).item(0, 1) == 2.0
    with pytest.raises(InvalidArgumentError, match="only one element"):
        paddle.to_tensor([1.0, 2.0]).item()
    with pytest.raises(InvalidArgumentError, match="one element"):
        bool(paddle.to_tensor([True, False]))
    with pytest.raises(TypeError, match="0-D"):
        len(paddle.to_tensor(1))
    assert f"{paddle.to_tensor(3.14159):.2f}" == "3.14"


def test_attributes():
    x = paddle.to_tensor(np.zeros((2, 3), "float32"))
    assert x.shape == [2, 3]
    assert x.shape == (2, 3)
    assert x.ndim == 2
    assert x.size == 6
    assert x.size() == [2, 3]
    assert x.T.shape == [3, 2]
    assert x.element_size() == 4
    assert x.place == paddle.CPUPlace() or "gpu" in str(x.place)
    assert x.name.startswith("generated_tensor_")
    x.name = "mine"
    assert x.name == "mine"
    x.anything = 3
    assert x.anything == 3
    with pytest.raises(AttributeError):
        x.is_leaf = True
    with pytest.raises(InvalidTypeError, match="must be bool"):
        x.stop_gradient = 1


def test_grad_fn_and_leaves():
    x = paddle.to_tensor([1.0], stop_gradient=False)
    y = x * 2
    assert x.is_leaf
    assert x.grad_fn.name() == "GradNodeAccumulation"
    assert x.grad_fn.next_functions == [None]
    assert y.grad_fn.name() == "ScaleGradNode"
    assert y.grad_fn is y.grad_fn
    assert paddle.rand([2]).grad_fn is None
    assert y.detach().is_leaf
    assert y.clone().grad_fn.name() == "AssignGradNode"


def test_assigning_grad_copies_the_value():
    x = paddle.to_tensor([1.0], stop_gradient=False)
    given = paddle.to_tensor([3.0])
    x.grad = given
    given.add_(paddle.ones([1]))
    assert x.grad.tolist() == [3.0]
    x.grad = None
    assert x.grad is None
    with pytest.raises(InvalidArgumentError, match="must be Tensor"):
        x.grad = 1.0


def test_copies_and_pickle():
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    for again in (copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert again.tolist() == [1.0, 2.0]
        assert not again.stop_gradient
        assert again.grad is None
    parameter = paddle.nn.Parameter(paddle.ones([2]))
    again = pickle.loads(pickle.dumps(parameter))
    assert type(again) is type(parameter)
    assert not copy.deepcopy(parameter).stop_gradient


def test_set_value_checks():
    x = paddle.to_tensor([1.0, 2.0])
    with pytest.raises(InvalidArgumentError, match="Shape not match"):
        x.set_value(np.zeros(3, "float32"))
    with pytest.raises(InvalidArgumentError, match="dtype not match"):
        x.set_value(np.zeros(2, "int64"))
    x.set_value(np.array([5.0, 6.0], "float32"))
    assert x.tolist() == [5.0, 6.0]
    assert x.inplace_version == 0


def test_astype_and_to():
    x = paddle.to_tensor([1.7, -2.0], stop_gradient=False)
    assert x.astype("float32") is x
    y = x.astype("float64")
    assert y.grad_fn.name() == "CastGradNode"
    (y * 3).sum().backward()
    assert x.grad.dtype == "float32"
    assert x.to("int32").tolist() == [1, -2]
    assert x.to("cpu").place == paddle.CPUPlace()


@pytest.mark.parametrize(
    ("values", "text"),
    [
        (3.0, "       3.)"),
        ([[1, 2], [3, 4]], "       [[1, 2],\n        [3, 4]])"),
        ([1.5, 2e10, 3e-7], "       [1.50000000  , 20000000000., 0.00000030  ])"),
        ([float("nan"), float("inf"), -1.0], "       [ nan, inf., -1. ])"),
        ([True, False], "       [True , False])"),
        ([1 + 2j], "       [(1.00000000+2.00000000j)])"),
        (np.zeros((2, 0)), "       [[],\n        []])"),
        (
            np.zeros((2**40, 0)),
            "       [[],\n"
            + "        [],\n" * 2
            + "        ...,\n"
            + "        [],\n" * 2
            + "        []])",
        ),
        (np.arange(2000), "       [0   , 1   , 2   , ..., 1997, 1998, 1999])"),
    ],
)
def test_repr(values, text):
    shown = repr(paddle.to_tensor(values, place="cpu"))
    assert shown.startswith("Tensor(shape=[")
    assert shown.split("\n", 1)[1] == text
    assert "place=Place(cpu), stop_gradient=True," in shown


def test_repr_inside_jit_shows_the_tracer():
    seen = []

    @jax.jit
    def show(t):
        seen.append(repr(t))
        return t

    show(paddle.ones([2]))
    assert "shape=[2]" in seen[0]


def test_nothing_made_inside_jit_is_kept_outside():
    def program(t):
        y = (t * 3.713)[1:3] + 2.25
        z = paddle.zeros([2])
        z[0] = y.sum()
        z = z.clip(0.0, 5.5) + paddle.full([2], 7.125) + paddle.rand([2])
        x = paddle.to_tensor(y._array, stop_gradient=False)
        (x * 1.2345).sum().backward()
        return z - z, x.grad

    t = paddle.to_tensor([1.0, 2.0, 3.0, 4.0])
    inside = jax.jit(program)(t)
    outside = program(t)
    assert [part.tolist() for part in inside] == [part.tolist() for part in outside]
