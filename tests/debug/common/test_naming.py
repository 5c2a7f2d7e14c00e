"""Unique names: counters, the owner of each name, and what a name must never change."""

import threading

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.autograd import PyLayer
from jaxeager.debug.common import naming
from jaxeager.graph import events
from tests.support.processes import printed_by

FLAG = "FLAGS_enable_unique_name"


@pytest.fixture(autouse=True)
def _counters_at_their_start():
    naming.reset()
    yield
    paddle.set_flags({FLAG: False})
    assert not naming.is_in_use()
    assert not events.has_ops
    assert not events.has_graph
    assert not events.has_layers


@pytest.fixture
def flag():
    """Switch the flag on."""
    paddle.set_flags({FLAG: True})


def named_leaf(*shape):
    """Return a leaf that requires a gradient, named ``full<n>_out_...`` while the flag is on."""
    x = paddle.ones(list(shape))
    x.stop_gradient = False
    return x


class Pair(PyLayer):
    """A PyLayer with two outputs."""

    @staticmethod
    def forward(ctx, x, y):
        return x + y, x * y

    @staticmethod
    def backward(ctx, first, second):
        return first, second


class Doubled(PyLayer):
    """A PyLayer with a list for an output."""

    @staticmethod
    def forward(ctx, tensors):
        return [tensor * 2 for tensor in tensors]

    @staticmethod
    def backward(ctx, *grads):
        return list(grads)


# ---- names


def test_tensors_nodes_and_gradients(flag):
    x = named_leaf(2, 3)
    y = x @ x.T
    z = paddle.matmul(y, y)
    assert z.name == "matmul2_out_float32_2x2"
    assert z.grad_fn.name() == "matmul2GradNode"
    z.sum().backward()
    assert x.grad.name == "full1_out_float32_2x3@Grad"


def test_shapes_and_dtypes(flag):
    assert paddle.full([], 1, "int64").name == "full1_out_int64_"
    assert paddle.zeros([0, 3], "bfloat16").name == "full2_out_bfloat16_0x3"
    assert paddle.zeros([2], "float8_e4m3fn").name == "full3_out_float8_e4m3fn_2"
    assert (paddle.ones([2]) > 0).name == "greater_than1_out_bool_2"


def test_several_outputs(flag):
    x = named_leaf(2, 4)
    assert [t.name for t in paddle.split(x, 2, axis=1)] == [
        "split_with_num1_out_0_float32_2x2", "split_with_num1_out_1_float32_2x2",
    ]  # fmt: skip
    values, indices = paddle.topk(x, 2)
    assert (values.name, indices.name) == ("topk1_out_float32_2x2", "topk1_indices_int64_2x2")
    assert values.grad_fn.name() == indices.grad_fn.name() == "topk1GradNode"


def test_hidden_outputs_have_no_names(flag):
    """The tensors that a norm or a dropout saves for its backward are not visible to users."""
    y = paddle.nn.functional.layer_norm(named_leaf(2, 3), [3])
    assert y.name == "layer_norm1_out_float32_2x3"
    y.sum().backward()


def test_ops_in_place_have_separate_counters(flag):
    x = named_leaf(2)
    y = x * 3
    y.add_(x)
    assert (y.name, y.grad_fn.name()) == ("add_1_out_float32_2", "add_1GradNode")
    y[0] = 1.0
    assert y.name == "set_value_1_out_float32_2"
    y.scale_(2.0)
    assert y.name == "scale_1_out_float32_2"
    assert (y + x).name == "add1_out_float32_2"


def test_pylayers_share_one_counter(flag):
    x = named_leaf(2)
    first, second = Pair.apply(x, x)
    assert (first.name, second.name) == ("Pair1_out0_0_float32_2", "Pair1_out1_0_float32_2")
    assert first.grad_fn.name() == "GradNodePyLayer_Pair"
    assert Pair.apply(x, x)[0].name == "Pair2_out0_0_float32_2"
    assert [t.name for t in Doubled.apply([x, x])] == [
        "Doubled3_out0_0_float32_2", "Doubled3_out1_0_float32_2",
    ]  # fmt: skip
    first.sum().backward()


def test_gradients_of_hooks_and_of_grad(flag):
    x = named_leaf(2)
    y = x.exp()
    seen = []
    y.register_hook(lambda grad: seen.append(grad.name))
    x.register_hook(lambda grad: seen.append(grad.name))
    (y * y).sum().backward()
    assert seen == ["exp1_out_float32_2@Grad", "full1_out_float32_2@Grad"]
    (grad,) = paddle.grad(x.tanh().sum(), x)
    assert grad.name == "full1_out_float32_2@Grad"


def test_gradients_of_gradients(flag):
    x = named_leaf(2)
    (first,) = paddle.grad(x.tanh().sum(), x, create_graph=True)
    assert first.name == "full1_out_float32_2@Grad"
    assert first.grad_fn.name() == "tanh_grad1GradNode"
    (summed,) = paddle.grad((x * x).sum(), x, create_graph=True)
    assert summed.name == "add1_out_float32_2"


def test_a_hook_gets_no_new_name_for_a_tensor_of_the_users(flag):
    x = named_leaf(2)
    y = x.exp()
    start = paddle.to_tensor([1.0, 2.0])
    y.register_hook(lambda grad: None)
    paddle.grad(y, x, grad_outputs=start)
    assert start.name.startswith("generated_tensor")


def test_leaves_parameters_and_aliases_keep_their_names(flag):
    x = paddle.to_tensor([1.0])
    assert x.name.startswith("generated_tensor_")
    assert x.astype("float32").name == x.name
    assert x.detach().name != x.name
    assert paddle.nn.Linear(2, 2).bias.name.endswith(".b_0")
    y = paddle.ones([2])
    assert y.detach().name != y.name
    assert y.clone().name == "assign1_out_float32_2"


def test_a_name_that_the_user_gave(flag):
    x = paddle.ones([2])
    x.name = "mine"
    assert x.name == naming.name_of(x) == "mine"
    x.add_(x)
    assert x.name == naming.name_of(x) == "add_1_out_float32_2"


def test_gradients_have_the_name_the_user_gave(flag):
    """Paddle's backward graphs and gradient logs have it, too."""
    x = named_leaf(2)
    h = x * 1
    first, second = paddle.split(h * 2, 2)
    h.name, second.name = "hidden", "second"
    made = Pair.apply(h, x)
    made[1].name = "product"
    x.name = "input"  # it is the end of an edge already
    places = [(t._meta.node, t._meta.slot + t._meta.rank) for t in (h, first, second, made[1], x)]
    assert [naming.place_name(*each) for each in places] == [
        "hidden", "split_with_num1_out_0_float32_1", "second", "product", "input"
    ]  # fmt: skip
    (h * h).sum().backward()
    assert x.grad.name == "input@Grad"


def test_batches_keep_the_names_of_made_tensors(flag):
    numbers = [np.full(2, i, "float32") for i in range(4)]
    for batch in paddle.io.DataLoader(numbers, batch_size=2):
        assert "_out_" not in batch.name


def test_casts_of_mixed_precision_count(flag):
    x = named_leaf(2, 2)
    with paddle.amp.auto_cast(dtype="bfloat16"):
        y = x @ x
    assert y.name == "matmul1_out_bfloat16_2x2"
    assert x.astype("float64").name.startswith("cast")


# ---- counters


def test_the_flag_counts_while_it_is_on():
    x = named_leaf(2)
    for _ in range(3):
        x.tanh()
    paddle.set_flags({FLAG: True})
    y = x.tanh()
    assert (y.name, y.grad_fn.name()) == ("tanh1_out_float32_2", "tanh1GradNode")
    paddle.set_flags({FLAG: False})
    z = x.tanh()
    assert z.name.startswith("eager_tmp_")
    assert (z.grad_fn.name(), y.grad_fn.name()) == ("TanhGradNode", "tanh1GradNode")
    assert y.name == "tanh1_out_float32_2"
    paddle.set_flags({FLAG: True})
    assert z.grad_fn.name() == "TanhGradNode"
    assert x.tanh().name == "tanh2_out_float32_2"


def test_counters_move_on_calls_that_fail(flag):
    with pytest.raises(ValueError, match="matmul"):
        paddle.ones([2, 3]) @ paddle.ones([4, 5])
    assert (paddle.ones([2, 2]) @ paddle.ones([2, 2])).name == "matmul2_out_float32_2x2"

    class Fails(PyLayer):
        @staticmethod
        def forward(ctx, x):
            raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        Fails.apply(named_leaf(2))
    assert Pair.apply(named_leaf(2), named_leaf(2))[0].name == "Pair2_out0_0_float32_2"


def test_threads_share_counters(flag):
    x = paddle.ones([2])
    names = []
    threads = [
        threading.Thread(target=lambda: names.extend(x.tanh().name for _ in range(100)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(names) == sorted(f"tanh{n}_out_float32_2" for n in range(1, 401))


def test_the_environment_switches_it_on():
    code = "import jaxeager as p; print(p.ones([2]).name)"
    assert printed_by(code, **{FLAG: "1"}, JAX_PLATFORMS="cpu") == "full1_out_float32_2\n"


def test_calls_that_make_several_tensors_count_once(flag):
    paddle.arange(3)  # Paddle makes tensors of start, end and step
    assert paddle.ones([1]).name == "full4_out_float32_1"
    paddle.nn.Linear(2, 2)
    assert paddle.rand([1]).name == "uniform2_out_float32_1"


def test_wrong_arguments_fail_as_ever(flag):
    with pytest.raises(ValueError, match="step"):
        paddle.arange(3, step=0)
    with pytest.raises(TypeError, match="num must be an integer"):
        paddle.linspace(0, 1, "many")
    assert paddle.rand(2, 3, 4, 5).shape == [2, 3, 4, 5]


def test_numbers_are_tensors_for_tools_only():
    x = named_leaf(2, 3)
    plain = [(x > 0).numpy(), (x // 2).numpy(), (2 / x).numpy(), (paddle.full([], 7) // 2).numpy()]
    paddle.set_flags({FLAG: True})
    named = [(x > 0).numpy(), (x // 2).numpy(), (2 / x).numpy(), (paddle.full([], 7) // 2).numpy()]
    for a, b in zip(plain, named, strict=True):
        np.testing.assert_array_equal(a, b)
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
    assert paddle.ones([1]).name == "full6_out_float32_1"


# ---- names for tools


def test_names_of_tools_are_not_visible_to_the_program():
    with naming.in_use():
        x = named_leaf(2)
        y = x.exp()
        assert naming.name_of(y) == "exp1_out_float32_2"
        assert naming.node_name(y.grad_fn) == "exp1GradNode"
        assert naming.call_of(y) == naming.call_of(y.grad_fn) == "exp1"
        (edge,) = y.grad_fn.edges
        assert naming.grad_name(edge) == "full1_out_float32_2@Grad"
        assert y.grad_fn.name() == "ExpGradNode"
        assert y.name.startswith("eager_tmp_")
        assert x.name.startswith("eager_tmp_")
    assert naming.call_of(x.tanh()) is None


def test_uses_nest():
    with naming.in_use(), naming.in_use():
        pass
    with naming.in_use():
        naming.begin_use()
        naming.end_use()
        assert naming.is_in_use()
        assert naming.call_of(paddle.ones([1])) == "full1"


def test_a_use_that_begins_or_ends_inside_a_pylayer():
    class Begins(PyLayer):
        @staticmethod
        def forward(ctx, x):
            naming.begin_use()
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad

    class Ends(Begins):
        @staticmethod
        def forward(ctx, x):
            naming.end_use()
            return x * 2

    x = named_leaf(2)
    assert naming.call_of(Begins.apply(x)) == "scale1"  # not the PyLayer's, which was not counted
    assert naming.call_of(Ends.apply(x)) is None
    with naming.in_use():
        assert naming.call_of(Pair.apply(x, x)[0]) == "Pair2"


def test_a_reserved_name_is_the_calls():
    with naming.in_use():
        x = named_leaf(2)
        row = paddle.exp.row
        assert naming.reserve(row, False) == "exp1"
        assert naming.call_of(x.exp()) == "exp1"
        assert naming.call_of(x.exp()) == "exp2"


def test_a_reserved_name_that_is_never_used_hides_no_other():
    class Leaves(PyLayer):
        @staticmethod
        def forward(ctx, x):
            naming.reserve(paddle.exp.row, False)  # of a call that ends in the middle
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad

    with naming.in_use():
        assert naming.call_of(Leaves.apply(named_leaf(2))) == "Leaves1"
        assert not naming._reserved.calls


def test_a_pylayer_that_fails_has_had_a_name():
    class Fails(PyLayer):
        @staticmethod
        def forward(ctx, x):
            raise ValueError("the user's")

        @staticmethod
        def backward(ctx, grad):
            return grad

    with naming.in_use():
        for number in (1, 2):
            with pytest.raises(ValueError, match="user's"):
                Fails.apply(named_leaf(2))
            assert naming.failed_call() == f"Fails{number}"
        assert not naming._reserved.calls


def test_tools_ask_for_no_name_that_users_would_get():
    x = named_leaf(2).exp()
    first = named_leaf(2).exp().name
    assert naming.name_of(x) == naming.name_of(x) == "unnamed_0"
    assert naming.name_of(named_leaf(2).exp()) == "unnamed_1"
    assert int(x.name.rpartition("_")[2]) == int(first.rpartition("_")[2]) + 1
    assert naming.name_of(x) == x.name


def test_a_pointer_names_a_node_for_good():
    x = named_leaf(2)
    node = x.exp().grad_fn
    assert f"{node.node_ptr():#x}" in repr(node)
    assert node.node_ptr() == node.node_ptr()
    others = {x.exp().grad_fn.node_ptr() for _ in range(50)}
    assert len(others) == 50
    assert node.node_ptr() not in others


# ---- results that names must not change


def train(kind, steps=6):
    """Return losses, and the optimizer with its layer."""
    paddle.seed(7)
    layer = paddle.nn.Linear(4, 4)
    optimizer = kind(0.1, parameters=layer.parameters())
    x, y = paddle.rand([8, 4]), paddle.rand([8, 4])
    losses = []
    for _ in range(steps):
        loss = ((layer(x) - y) ** 2).mean()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(float(loss))
    return losses, optimizer, layer


@pytest.mark.parametrize("kind", ["SGD", "Momentum", "Adam", "AdamW"])
def test_training_is_the_same(kind):
    """BEAT: Paddle renames parameters at every step, and optimizers lose their state."""
    kind = getattr(paddle.optimizer, kind)
    expected, plain, _ = train(kind)
    paddle.set_flags({FLAG: True})
    found, named, layer = train(kind)
    assert found == expected
    assert len(named.state_dict()) == len(plain.state_dict())
    assert layer.weight.name.endswith(".w_0")


def test_state_of_an_optimizer_loads(flag):
    """BEAT: what Paddle saves under the flag cannot be loaded."""
    with paddle.utils.unique_name.guard():
        _, optimizer, _ = train(paddle.optimizer.Adam)
    with paddle.utils.unique_name.guard():  # as in the next run of the program
        layer = paddle.nn.Linear(4, 4)
    state = optimizer.state_dict()
    fresh = paddle.optimizer.Adam(0.1, parameters=layer.parameters())
    fresh.set_state_dict(state)
    loaded = fresh.state_dict()
    assert sorted(loaded) == sorted(state)
    moments = [name for name in state if name.startswith(layer.weight.name)]
    assert len(moments) >= 2
    for name in moments:
        assert loaded[name].tolist() == state[name].tolist()


@pytest.mark.parametrize(
    "other",
    [
        "FLAGS_dump_api_python_stack_path", "FLAGS_dump_grad_node_forward_stack_path",
        "FLAGS_dump_api_and_gradnode_python_stack_dir", "FLAGS_tensor_md5_checksum_output_path",
    ],
)  # fmt: skip
def test_other_switches_leave_the_flag_alone(other, tmp_path):
    """BEAT: in Paddle these turn unique names on, and level 3 of the call stacks, permanently."""
    for path in (str(tmp_path / "file"), ""):
        paddle.set_flags({other: path})
        y = named_leaf(2).exp()
        assert (y.name[:10], y.grad_fn.name()) == ("eager_tmp_", "ExpGradNode")
        found = paddle.get_flags([FLAG, "FLAGS_call_stack_level"])
        assert found == {FLAG: False, "FLAGS_call_stack_level": 1}
