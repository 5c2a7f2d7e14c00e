"""Checkpoints that are written on one mesh and read on another; run by test_checkpoint.py."""

import tempfile
from pathlib import Path

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager import distributed as dist


def made(mesh, stage):
    paddle.seed(1)
    with paddle.utils.unique_name.guard():  # the names in a new process
        net = paddle.nn.Sequential(paddle.nn.Linear(16, 16), paddle.nn.Linear(16, 8))
    rate = paddle.optimizer.lr.StepDecay(0.1, 2)
    adam = paddle.optimizer.AdamW(rate, parameters=net.parameters())
    if mesh is not None:
        dist.shard_layer(net, mesh)
        dist.shard_optimizer(adam, stage(0))
    return net, adam, rate


def trained(net, adam, rate, mesh, steps):
    losses = []
    for number in range(steps):
        paddle.seed(number)
        x = paddle.rand([8, 16])
        x = x if mesh is None else dist.shard_tensor(x, mesh, [dist.Shard(0)])
        loss = net(x).square().mean()
        loss.backward()
        adam.step()
        adam.clear_grad()
        rate.step()
        losses.append(loss.item())
    return losses


def state_of(net, adam):
    return {"net": net.state_dict(), "adam": adam.state_dict()}


def check_a_run_goes_on_on_another_mesh():
    eight, two = dist.ProcessMesh(list(range(8))), dist.ProcessMesh([3, 5])
    first = made(eight, dist.ShardingStage3)
    trained(*first, eight, 3)
    with tempfile.TemporaryDirectory() as folder:
        dist.save_state_dict(state_of(*first[:2]), folder)
        wanted = trained(*first, eight, 3)
        for mesh, stage in ((two, dist.ShardingStage1), (eight, dist.ShardingStage2), (None, None)):
            other = made(mesh, stage)
            trained(*other, mesh, 1)  # so that the optimizer has a state to be filled
            before = [each.placements for each in other[0].parameters()]
            state = state_of(*other[:2])
            dist.load_state_dict(state, folder)
            other[1].set_state_dict(state["adam"])
            assert other[2].last_epoch == 3
            assert [each.placements for each in other[0].parameters()] == before
            np.testing.assert_allclose(trained(*other, mesh, 3), wanted, rtol=1e-5)


def check_parts_of_tensors_on_meshes():
    mesh = dist.ProcessMesh([[0, 1], [2, 3]])
    x = dist.shard_tensor(paddle.arange(24.0).reshape([4, 6]), mesh, [dist.Shard(0), dist.Shard(1)])
    parts = dist.build_sharded_state_dict({"x": x})
    assert parts["x"].local_shape == [2, 3]
    with tempfile.TemporaryDirectory() as folder:
        dist.save_state_dict(parts, folder)
        assert sorted(each.name for each in Path(folder).iterdir()) == ["0.metadata", "0_0.distcp"]
        y = dist.shard_tensor(paddle.zeros([4, 6]), dist.ProcessMesh([1, 5]), [dist.Shard(1)])
        dist.load_state_dict({"x": y}, folder)
        assert y.tolist() == x.tolist()
        assert y.placements == [dist.Shard(1)]
        x.set_value(paddle.zeros([4, 6]))
        dist.load_state_dict(dist.build_sharded_state_dict({"x": x}), folder)
        assert x.tolist() == y.tolist()
        assert x.placements == [dist.Shard(0), dist.Shard(1)]


def check_checkpoints_of_a_folder():
    x = dist.shard_tensor(paddle.arange(8.0), dist.ProcessMesh([0, 1]), [dist.Shard(0)])
    half = paddle.ones([4], "bfloat16")
    with tempfile.TemporaryDirectory() as folder:
        state = {"x": x, "half": half, "none": paddle.zeros([0, 3]), "inner": {"n": 3, "s": "a"}}
        for number in range(3):
            x.set_value(paddle.arange(8.0) + float(number))
            dist.save_state_dict(state, folder, async_save=number == 1)
        dist.checkpoint.wait()
        assert sorted(each.name for each in Path(folder).iterdir()) == ["0", "1", "2"]
        x.set_value(paddle.zeros([8]))
        state["inner"]["n"] = 0
        dist.load_state_dict(state, folder)
        assert (x.tolist()[0], x.placements, state["inner"]["n"]) == (2.0, [dist.Shard(0)], 3)
        dist.load_state_dict({"x": x}, folder, unique_id=1)
        assert x.tolist()[0] == 1.0
        merged = dist.load_merged_state_dict(folder, unique_id=0)
        assert sorted(merged) == ["half", "inner", "none", "x"]
        assert (merged["x"].tolist(), merged["none"].shape) == ([*range(8)], [0, 3])
        assert not merged["x"].is_dist()
        assert merged["half"].dtype == paddle.bfloat16
        assert list(dist.load_merged_state_dict(folder, prefix="ha")) == ["lf"]
        with pytest.raises(ValueError, match="A checkpoint 2 already exists"):
            dist.save_state_dict(state, folder, unique_id=2)
        with pytest.raises(RuntimeError, match=r"no checkpoint 7 in .* it has \[0, 1, 2\]"):
            dist.load_state_dict(state, folder, unique_id=7)
        with pytest.raises(RuntimeError, match="The checkpoint lacks 'y', 'inner/m'"):
            dist.load_state_dict({"y": x, "inner": {"m": 1}}, folder)
        with pytest.raises(ValueError, match=r"shape \[4\] and dtype .*float32, but shape \[8\]"):
            dist.load_state_dict({"half": half, "x": paddle.ones([4])}, folder)
        with pytest.raises(TypeError, match="'f' is of function"):
            dist.save_state_dict({"x": x, "f": check_checkpoints_of_a_folder}, folder)
