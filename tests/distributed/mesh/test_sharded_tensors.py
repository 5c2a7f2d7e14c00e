"""Tensors on a mesh of one process."""

import pytest

import jaxeager as paddle
from jaxeager import distributed as dist

MESH = dist.ProcessMesh([0], dim_names=["x"])
WHOLE = [dist.Replicate()]


def test_tensors_are_new_and_whole():
    x = paddle.to_tensor([[1.0, 2.0]], stop_gradient=False)
    found = dist.shard_tensor(x, MESH, [dist.Shard(1)])
    assert found is not x
    assert (found.tolist(), found.stop_gradient, found.is_leaf) == ([[1.0, 2.0]], False, True)
    (found * 2.0).sum().backward()
    assert (x.grad, found.grad.tolist()) == (None, [[2.0, 2.0]])
    weight = paddle.nn.Linear(2, 2).weight
    placed = dist.shard_tensor(weight, MESH, WHOLE)
    assert isinstance(placed, type(weight))
    assert placed is not weight
    assert (placed.tolist(), placed.stop_gradient) == (weight.tolist(), False)
    assert dist.shard_tensor([1, 2], MESH, WHOLE, dtype="float32").dtype == paddle.float32
    assert dist.dtensor_from_fn(paddle.ones, MESH, WHOLE, [2]).tolist() == [1.0, 1.0]
    moved = dist.unshard_dtensor(dist.reshard(x, MESH, WHOLE))
    moved.sum().backward()
    assert x.grad.tolist() == [[1.0, 1.0]]


def test_layers_stay_where_they_are():
    layer, seen = paddle.nn.Sequential(paddle.nn.Linear(2, 2)), []
    found = dist.shard_layer(
        layer,
        MESH,
        lambda name, each, mesh: seen.append((name, type(each).__name__)),
        lambda inputs, mesh: tuple(each * 0.0 for each in inputs),
        lambda output, mesh: output + 7.0,
    )
    assert found is layer
    assert seen == [("", "Sequential"), ("0", "Linear")]
    assert layer(paddle.ones([1, 2])).tolist() == [[7.0, 7.0]]


def test_placements_and_processes_that_do_not_exist_are_refused():
    with pytest.raises(RuntimeError, match=r"processes \[0, 999\], but there"):
        dist.shard_tensor([1.0], dist.ProcessMesh([0, 999]), WHOLE)
    with pytest.raises(ValueError, match=r"A tensor of 1 axes cannot be placed by Shard\(dim=3\)"):
        dist.shard_tensor([1.0], MESH, [dist.Shard(3)])
    with pytest.raises(ValueError, match="A mesh of 1 axes takes as many placements"):
        dist.reshard(paddle.ones([1]), MESH, WHOLE * 2)
