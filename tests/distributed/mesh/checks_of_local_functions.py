"""local_map and LocalLayer on meshes of 8 devices; run by test_local_functions.py."""

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager import distributed as dist

S0, S1, R, P = dist.Shard(0), dist.Shard(1), dist.Replicate(), dist.Partial()


def line(count=2):
    return dist.ProcessMesh(list(range(count)), dim_names=["x"])


def spread(values, mesh, *placements):
    return dist.shard_tensor(paddle.to_tensor(values), mesh, placements, stop_gradient=False)


def numbers(*shape):
    return np.arange(1.0, 1 + np.prod(shape)).reshape(shape).astype("float32")


def masked_mean(x):
    """The function of Paddle's documentation: on rank 0 and on rank 1 other places count."""
    mask = paddle.zeros_like(x)
    if dist.get_rank() == 0:
        mask[1:3] = 1
    else:
        mask[4:7] = 1
    return paddle.sum(x * mask) / mask.sum()


def documented_input():
    """What ranks 0 and 1 of the documentation have: 0 to 9, and 1 to 10."""
    parts = [paddle.arange(0, 10, dtype="float32") + rank for rank in (0, 1)]
    return dist.auto_parallel.api.dtensor_from_local(parts, line(), [S0])


def check_the_documented_function():
    mapped = dist.local_map(masked_mean, [[P]], [[S0]], process_mesh=line())
    found = mapped(documented_input())
    assert [found._local_value(rank).item() for rank in (0, 1)] == [1.5, 6.0]
    assert found.item() == 7.5
    assert dist.get_rank() == 0


def check_the_documented_layer():
    class Custom(dist.LocalLayer):
        def __init__(self, attrs):
            super().__init__(attrs, attrs)
            self.ranks = []

        def forward(self, x):
            self.ranks.append(dist.get_rank())
            return masked_mean(x)

    layer = Custom([(line(), [P])])
    assert layer(documented_input()).item() == 7.5
    assert layer.ranks == [0, 1]


def check_gradients_are_those_of_the_whole():
    """The rows of a matrix, and a weight that all devices share: its gradients are added."""
    for count in (2, 8):
        compare_product(line(count))


def compare_product(mesh):
    values, weight = numbers(8, 4), numbers(4, 3)

    class Product(dist.LocalLayer):
        def forward(self, x, w):
            return paddle.matmul(x, w) ** 2

    x, w = spread(values, mesh, S0), spread(weight, mesh, R)
    out = Product([(mesh, [S0])], [None, (mesh, [P])])(x, w)
    assert out.placements == [S0]
    out.sum().backward()
    plain = [paddle.to_tensor(each, stop_gradient=False) for each in (values, weight)]
    wanted = paddle.matmul(*plain) ** 2
    wanted.sum().backward()
    np.testing.assert_allclose(out.numpy(), wanted.numpy(), rtol=1e-6)
    for each, theirs in zip((x, w), plain, strict=True):
        np.testing.assert_allclose(each.grad.numpy(), theirs.grad.numpy(), rtol=1e-6)


def check_a_shared_argument_has_the_gradient_of_the_first_device():
    """As Paddle's rank 0, where the placements of the gradient are those of the argument."""
    w = spread(numbers(3), line(), R)
    scaled = dist.local_map(lambda w: w * (1 + dist.get_rank()), [[P]], [[R]])
    found = scaled(w)
    assert found.tolist() == [3.0, 6.0, 9.0]
    found.sum().backward()
    assert w.grad.tolist() == [1.0, 1.0, 1.0]


def check_infinite_gradients_stay_where_they_are():
    """The zeros that other devices get are not products of an infinity and zero."""
    x = spread(np.array([0.0, 1.0, 1.0, 4.0], "float32"), line(), S0)
    dist.local_map(paddle.sqrt, [[S0]], [[S0]])(x).sum().backward()
    assert x.grad.tolist() == [float("inf"), 0.5, 0.5, 0.25]
    w = spread(np.zeros(2, "float32"), line(), R)
    dist.local_map(paddle.sqrt, [[P]], [[R]])(w).sum().backward()
    assert w.grad.tolist() == [float("inf")] * 2


def check_replicated_results():
    w = spread(numbers(3), line(), R)
    found = dist.local_map(lambda w: w * w, [[R]], [[R]])(w)
    assert found.placements == [R]
    found.sum().backward()
    assert w.grad.tolist() == [2.0, 4.0, 6.0]


def check_two_axes_and_nested_results():
    mesh = dist.ProcessMesh(np.arange(8).reshape(2, 4), dim_names=["x", "y"])
    values = numbers(4, 8)
    x = spread(values, mesh, S0, S1)

    def parts(given, scale):
        assert given["x"].shape == [2, 2]
        return {"sum": given["x"].sum() * scale, "shape": 7, "twice": given["x"] * 2}

    placements = [[P, P], None, [S0, S1]]
    order = sorted(["sum", "shape", "twice"])
    wanted = dict(zip(["sum", "shape", "twice"], placements, strict=True))
    mapped = dist.local_map(parts, [wanted[name] for name in order], [[S0, S1]])
    found = mapped({"x": x}, scale=3)
    assert (found["sum"].item(), found["shape"]) == (values.sum() * 3, 7)
    assert found["twice"].placements == [S0, S1]
    np.testing.assert_array_equal(found["twice"].numpy(), values * 2)
    (found["sum"] + found["twice"].sum()).backward()
    np.testing.assert_array_equal(x.grad.numpy(), np.full((4, 8), 5.0))


def check_arguments_are_moved_when_asked():
    x = spread(numbers(4, 2), line(), S1)
    with pytest.raises(ValueError, match="give reshard_inputs=True to move it"):
        dist.local_map(paddle.sum, [[P]], [[S0]])(x)
    moved = dist.local_map(lambda x: x * 1, [[S0]], [[S0]], reshard_inputs=True)(x)
    assert moved.placements == [S0]
    moved.sum().backward()
    assert (x.grad.placements, x.grad.numpy().tolist()) == ([S1], [[1.0, 1.0]] * 4)
    plain = dist.local_map(lambda x, y: x * y, [[S0]])(moved, 2.0)
    np.testing.assert_array_equal(plain.numpy(), numbers(4, 2) * 2)


def check_without_arguments_on_a_mesh():
    made = dist.local_map(lambda: paddle.full([2], dist.get_rank()), [[S0]], process_mesh=line())
    assert made().tolist() == [0, 0, 1, 1]
    nothing = dist.local_map(lambda x: x + 1, [None])
    assert nothing(2) == 3


def check_what_is_refused():
    x = spread(numbers(4), line(), S0)
    for mapped, text in (
        (dist.local_map(paddle.sum, [[P]], [[S0], [S0]]), "2 in_placements, but 1 arguments"),
        (dist.local_map(paddle.sum, [[P], [P]]), "2 placements, but 1 results"),
        (dist.local_map(paddle.sum, [None]), "its placements are None"),
        (dist.local_map(lambda x: 3, [[P]]), "must be a tensor on one device"),
    ):
        with pytest.raises(AssertionError, match=text):
            mapped(x)
    with pytest.raises(AssertionError, match="process_mesh must be specified"):
        dist.local_map(lambda x: x + 1, [[R]])(paddle.ones([2]))
    with pytest.raises(AssertionError, match="0 grad_dist_attrs, but 1 inputs"):
        dist.LocalLayer([], [])(x)

    class Whole(dist.LocalLayer):
        def forward(self, x):
            return x

    with pytest.raises(ValueError, match="they may only be Partial instead"):
        Whole([(line(), [S0])], [(line(), [R])])(x)


def check_a_collective_inside_is_refused():
    """There is one process: it would return each part as it is."""
    x = spread(numbers(4), line(), S0)
    dist.init_parallel_env()
    try:
        for collective in (dist.all_reduce, lambda part: dist.all_gather([], part)):
            with pytest.raises(NotImplementedError, match="no call between processes"):
                dist.local_map(collective, [None])(x)
    finally:
        dist.destroy_process_group()
