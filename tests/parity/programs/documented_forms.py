"""Forms of calls that stand in the examples of Paddle's docstrings."""

import warnings

from ..registry import program


def _drawn(paddle, np, tensor):
    array = tensor.numpy()
    parts = [array.real, array.imag] if array.dtype.kind == "c" else [array]
    moments = [[round(float(part.mean()), 1), round(float(part.std()), 1)] for part in parts]
    return [str(tensor.dtype), list(tensor.shape), moments]


@program()
def complex_numbers_are_drawn(paddle, np):
    """Each part evenly, or with half the variance."""
    paddle.seed(1)
    like = paddle.ones([20000], "complex64")
    return [
        _drawn(paddle, np, tensor)
        for tensor in (
            paddle.rand([20000], "complex128"),
            paddle.uniform([20000], "complex64", min=-1, max=2),
            paddle.rand_like(like),
            paddle.randn([20000], dtype="complex64"),
            paddle.standard_normal([20000], dtype="complex128"),
            paddle.randn_like(like),
            paddle.normal(1 + 1j, 2.0, [20000]),
            paddle.normal(paddle.to_tensor([1 + 1j] * 20000), 2.0),
            like.normal_(2 + 2j, 4.24),
        )
    ]


@program(rtol=1e-6, reason="sums in another order")
def a_label_with_a_dimension_of_one(paddle, np):
    """nll_loss takes [N, 1], as data loaders give it."""
    given = paddle.to_tensor([[-1.0, -0.5], [-0.25, -2.0], [-3.0, -0.75]], stop_gradient=False)
    label = paddle.to_tensor([[1], [0], [1]])
    loss = paddle.nn.functional.nll_loss(given, label)
    loss.backward()
    each = paddle.nn.functional.nll_loss(given, label, reduction="none")
    return loss.numpy(), each.numpy(), given.grad.numpy()


@program()
def messages_of_two_ranks(paddle, np):
    """A weight for each edge, whatever the nodes hold."""
    src = paddle.to_tensor([0, 1, 2, 0], dtype="int32")
    dst = paddle.to_tensor([1, 2, 1, 0], dtype="int32")
    x = paddle.to_tensor([[0.0, 2, 3], [1, 4, 5], [2, 6, 7]], stop_gradient=False)
    y = paddle.to_tensor([1.0, 2.0, 3.0, 4.0], stop_gradient=False)
    sent = paddle.geometric.send_ue_recv(x, y, src, dst, message_op="mul", reduce_op="sum")
    sent.sum().backward()
    both = paddle.geometric.send_uv(x, paddle.to_tensor([1.0, 2.0, 3.0]), src, dst, "sub")
    deep = paddle.geometric.send_ue_recv(x.reshape([3, 3, 1]), y, src, dst)
    return sent.numpy(), x.grad.numpy(), y.grad.numpy(), both.numpy(), deep.numpy()


@program()
def a_layer_is_printed_with_its_dtype(paddle, np):
    """The dtype's name, and once the layer was cast the dtype."""
    layer = paddle.nn.Linear(2, 3)
    printed = [str(layer)]
    for change in (
        lambda: layer.astype("float64"),
        lambda: layer.to(dtype="float32"),
        lambda: layer.to(dtype=paddle.float64),
        layer.float,
        lambda: paddle.nn.Sequential(layer).to(dtype="bfloat16"),
        layer.double,
    ):
        change()
        printed += [str(layer), str(layer._dtype)]
    return printed


@program()
def tensor_is_a_function_too(paddle, np):
    """paddle.tensor holds functions, and makes a tensor when it is called."""
    made = paddle.tensor([1.0, 2.0], dtype="float64", requires_grad=True)
    return (
        made.numpy(),
        made.stop_gradient,
        list(paddle.tensor(3).shape),
        str(paddle.tensor(3).dtype),
        paddle.tensor.math.add(made, made).numpy(),
    )


@program()
def flags_without_effect_are_kept(paddle, np):
    """Set at the beginning of programs, and read."""
    names = ["FLAGS_eager_delete_tensor_gb", "FLAGS_use_stride_kernel"]
    before = paddle.get_flags(names)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # one of ours says that it has no effect
        paddle.set_flags({"FLAGS_eager_delete_tensor_gb": 1.5})
        after = paddle.get_flags(names)
        paddle.set_flags(before)
    return before, after


@program()
def the_order_of_hybrid_parallelism(paddle, np):
    """The axes' order is an item of hybrid_configs."""
    strategy = paddle.distributed.fleet.DistributedStrategy()
    before = list(strategy.hybrid_parallel_order)
    strategy.hybrid_configs = {"mp_degree": 1, "order": ["dp", "pp", "sharding", "sep", "mp"]}
    return before, list(strategy.hybrid_parallel_order)


@program()
def complex_numbers_are_printed(paddle, np):
    """In columns, as wide as the widest, with room for a sign where one is negative."""
    given = (
        [1 + 2j, -1 - 2.5j],
        [[-0.5 + 2j, 11 + 1e-3j], [3, 4j]],
        [complex(1, -0.0), complex(np.nan, np.inf), complex(-np.inf, -1)],
        [-1j, 12 + 0.5j],
        [1e10 + 1j, 1],
        2 + 3j,
        [],
    )
    printed = [str(paddle.to_tensor(np.array(each, dtype="complex128"))) for each in given]
    printed.append(str(paddle.to_tensor(np.arange(2000) * (1 - 2j))))
    paddle.set_printoptions(precision=3, sci_mode=True)
    printed.append(str(paddle.to_tensor([1 + 2j, -1 - 2.5j])))
    paddle.set_printoptions(precision=8, sci_mode=False)
    return printed
