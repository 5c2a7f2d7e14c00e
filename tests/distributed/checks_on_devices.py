"""Tensors, layers and optimizers on meshes of 8 devices; run by test_on_devices.py."""

import itertools
import tempfile
from pathlib import Path

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager import distributed as dist
from jaxeager.distributed.auto_parallel.api import dtensor_from_local, dtensor_to_local
from jaxeager.distributed.mesh.collective_counts import counted
from jaxeager.distributed.mesh.sharded_optimizers import bytes_per_device
from tests.support.on_devices import deep

S0, S1, R, P = dist.Shard(0), dist.Shard(1), dist.Replicate(), dist.Partial()


def line(count=2):
    return dist.ProcessMesh(list(range(count)), dim_names=["x"])


def grid():
    return dist.ProcessMesh(np.arange(8).reshape(2, 4), dim_names=["x", "y"])


def numbers(*shape):
    return paddle.arange(int(np.prod(shape)), dtype="float32").reshape(list(shape))


def check_what_each_device_has():
    # As in real Paddle on two processes: the parts of rank 0 and rank 1.
    wanted = {
        S0: ([[0.0, 1.0], [2.0, 3.0]], [[4.0, 5.0], [6.0, 7.0]]),
        S1: ([[0.0], [2.0], [4.0], [6.0]], [[1.0], [3.0], [5.0], [7.0]]),
        R: (numbers(4, 2).tolist(),) * 2,
        P: (numbers(4, 2).tolist(), [[0.0, 0.0]] * 4),
    }
    for placement, parts in wanted.items():
        x = dist.shard_tensor(numbers(4, 2), line(), [placement])
        assert x.is_dist()
        assert x.process_mesh == line()
        assert x.placements == [placement]
        assert (x._local_value(0).tolist(), x._local_value(1).tolist()) == parts
        assert x._local_shape == list(np.shape(parts[0]))
        assert x.tolist() == numbers(4, 2).tolist()
        assert x.is_leaf


def check_printing():
    x = dist.shard_tensor(numbers(2, 2), line(), [S0])
    assert str(x) == (
        "Tensor(shape=[2, 2], dtype=float32, place=Place(cpu), stop_gradient=True, "
        "process_mesh={shape: [2], process_ids: [0,1], dim_names: [x]}, "
        "placements=[Shard(dim=0)], GlobalDenseTensor=\n       [[0., 1.],\n        [2., 3.]])"
    )
    mesh = dist.ProcessMesh([[0, 1], [2, 3]], dim_names=["a", "b"])
    twice = dist.shard_tensor(numbers(4, 2), mesh, [S0, S0])
    assert str(twice.placements) == "[Shard(dim=0, shard_order=0), Shard(dim=0, shard_order=1)]"
    assert (twice.num_shard, twice._local_shape) == (4, [1, 2])
    plain = numbers(2)
    found = plain.is_dist(), plain.placements, plain.process_mesh, plain._local_value()
    assert found == (False, None, None, None)


def check_every_pair_of_placements_and_their_gradients():
    greatest = dist.Partial(dist.ReduceType.kRedMax)
    each = (R, S0, S1, P, greatest)
    wanted = numbers(8, 8)
    for source, target in itertools.product(each, each):
        x = dist.shard_tensor(wanted, line(4), [source], stop_gradient=False)
        y = dist.reshard(x, line(4), [target])
        assert y.placements == [target]
        assert y.grad_fn.name() == "ReshardGradNode"
        (y * y).sum().backward()
        assert y.tolist() == wanted.tolist()
        assert x.grad.tolist() == (wanted * 2).tolist()
        assert x.grad.placements == [R if source.is_partial() else source]


def check_pairs_on_two_axes():
    pairs = list(itertools.product((R, S0, S1, P), repeat=2))
    wanted = numbers(8, 8)
    for source, target in itertools.product(pairs[::3], pairs[::2]):
        x = dist.shard_tensor(wanted, grid(), source)
        y = dist.reshard(x, grid(), target)
        assert y.placements == list(target)
        assert y.tolist() == wanted.tolist()


def check_partial_parts_stay_parts():
    parts = [paddle.full([2, 2], float(2**n)) for n in range(8)]
    x = dtensor_from_local(parts, grid(), [P, P])
    assert x[0, 0].item() == 255.0
    half = dist.reshard(x, grid(), [P, R])
    assert [half._local_value(n)[0, 0].item() for n in (0, 3, 4)] == [15.0, 15.0, 240.0]
    divided = dist.reshard(x, grid(), [S0, P])
    assert [divided._local_value(n)[0, 0].item() for n in (0, 1, 4)] == [17.0, 34.0, 17.0]
    kinds = dist.ReduceType
    for kind, wanted in (
        (kinds.kRedMax, 128.0), (kinds.kRedMin, 1.0), (kinds.kRedAvg, 255 / 8),
        (kinds.kRedProd, 2.0**28),
    ):  # fmt: skip
        x = dtensor_from_local(parts, line(8), [dist.Partial(kind)])
        assert (x + 0.0)[0, 0].item() == wanted


def check_a_partial_tensor_that_is_written():
    x = dist.shard_tensor(numbers(4), line(), [P])
    x.add_(paddle.ones([4]))
    assert x.tolist() == [1.0, 2.0, 3.0, 4.0]
    assert x.placements == [R]
    assert type(x) is paddle.Tensor


def check_another_mesh():
    x = dist.shard_tensor(numbers(8, 4), grid(), [S0, S1], stop_gradient=False)
    for mesh in (dist.ProcessMesh([5, 2]), dist.ProcessMesh([[7, 3], [1, 0]])):
        y = dist.reshard(x, mesh, [S0])
        assert y.process_mesh == mesh
        assert y._local_value(mesh.process_ids[0]).tolist() == numbers(8, 4)[:4].tolist()
        (y * 3.0).sum().backward()
        assert (x.grad.placements, x.grad.tolist()) == ([S0, S1], [[3.0] * 4] * 8)
        x.clear_grad()
    p = dist.reshard(dist.shard_tensor(numbers(4), line(), [P]), dist.ProcessMesh([4, 5]), [P])
    assert (p._local_value(4).tolist(), p._local_value(5).tolist()) == ([0, 1, 2, 3], [0] * 4)


def check_gradients_of_local_tensors():
    weight = numbers(4) + 1.0
    for placement, wanted in ((S0, [[1.0, 2.0], [3.0, 4.0]]), (P, [[1.0, 2.0], [1.0, 2.0]])):
        parts = [paddle.to_tensor([n, n + 1.0], stop_gradient=False) for n in range(2)]
        x = dtensor_from_local(parts, line(), [placement])
        (x * dist.shard_tensor(weight[: x.shape[0]], line(), [])).sum().backward()
        assert [each.grad.tolist() for each in parts] == wanted
    one = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    for placement, factor in ((S0, 2.0), (P, 2.0), (R, 1.0)):
        dtensor_from_local(one, line(), [placement]).sum().backward()
        assert one.grad.tolist() == [factor] * 2
        one.clear_grad()
    x = dist.shard_tensor(numbers(4), line(), [S0], stop_gradient=False)
    local = dtensor_to_local(x, line(), [S0])
    assert (local.is_dist(), local.tolist()) == (False, [0.0, 1.0])
    (local * 3.0).sum().backward()
    assert (x.grad.tolist(), x.grad.placements) == ([3.0, 3.0, 0.0, 0.0], [S0])
    x.clear_grad()
    (dtensor_to_local(x, line()) * 3.0).sum().backward()
    assert (x.grad.tolist(), x.grad.placements) == ([3.0, 3.0, 0.0, 0.0], [S0])
    x.clear_grad()
    (dtensor_to_local(x, placements=[R]) * 3.0).sum().backward()
    assert x.grad.tolist() == [3.0, 3.0, 0.0, 0.0]
    x.clear_grad()
    (dtensor_to_local(x) * 3.0).sum().backward()
    whole = dist.unshard_dtensor(x)
    assert not whole.is_dist()
    (whole * whole).sum().backward()
    assert x.grad.tolist() == [3.0, 5.0, 4.0, 6.0]
    with pytest.raises(ValueError, match="drives 2 devices of the mesh, but received 1"):
        dtensor_from_local([one], line(), [S0])


def check_a_tensor_on_one_device_comes_to_the_others():
    x = dist.shard_tensor(numbers(4, 2), line(), [S0], stop_gradient=False)
    alone = paddle.to_tensor([1.0, 2.0])
    assert not alone.is_dist()
    assert (x * alone).placements == [S0]
    assert alone.placements == [R]  # and stays there, as in Paddle
    bias = paddle.create_parameter([2], "float32")
    before = paddle.to_tensor([3.0, 4.0], stop_gradient=False)
    twice = before * 2.0
    (x + bias + twice).sum().backward()
    assert (bias.placements, bias.grad.placements, bias.grad.tolist()) == ([R], [R], [4.0, 4.0])
    assert before.grad.tolist() == [8.0, 8.0]
    joined = paddle.concat([x, paddle.to_tensor([[1.0, 1.0]])])
    assert joined.shape == [5, 2]
    y = x.detach()
    y.add_(paddle.to_tensor([[1.0, 1.0]]))
    assert y.tolist() == (numbers(4, 2) + 1.0).tolist()


def check_gradients_lie_as_parameters_do():
    x = dist.shard_tensor(paddle.rand([8, 4]), grid(), [S0])
    for placements in ([R, S1], [S0, S1], [S1, R], [R, R]):
        weight = dist.shard_tensor(paddle.create_parameter([4, 8], "float32"), grid(), placements)
        assert isinstance(weight, paddle.nn.Parameter)
        for _ in range(2):
            paddle.tanh(x @ weight).sum().backward()
            assert weight.grad.placements == placements
        (found,) = paddle.grad(paddle.tanh(x @ weight).sum(), weight)
        assert found.placements == placements
        with paddle.lazy():
            for _ in range(3):
                paddle.tanh(x @ weight).sum().backward()
        assert weight.grad.placements == placements
        np.testing.assert_allclose(weight.grad.numpy(), found.numpy() * 5, rtol=1e-5)


def check_values_that_are_set_lie_as_before():
    x = dist.shard_tensor(numbers(4, 2), line(), [S0])
    for value in (numbers(4, 2) + 1.0, np.zeros([4, 2], "float32"),
                  dist.shard_tensor(numbers(4, 2), line(), [S1])):  # fmt: skip
        x.set_value(value)
        assert x.placements == [S0]
    layer = dist.shard_layer(paddle.nn.Linear(4, 4), line(), lambda name, each, mesh:
        dist.mesh.sharded_tensors.place(each.weight, mesh, [S1]))  # fmt: skip
    layer.set_state_dict({"weight": np.ones([4, 4], "float32"), "bias": numbers(4)})
    assert [each.placements for each in layer.parameters()] == [[S1], [R]]


def check_layers():
    seen = []

    def shard(name, each, mesh):
        seen.append(name)
        if name:
            each.weight = dist.shard_tensor(each.weight, mesh, [S1])

    norm = dist.shard_layer(paddle.nn.BatchNorm1D(4), line())
    assert [each.placements for each in [*norm.parameters(), *norm.buffers()]] == [[R]] * 4
    net = paddle.nn.Sequential(paddle.nn.Linear(2, 4), paddle.nn.Linear(4, 4))
    dist.shard_layer(
        net, line(), shard,
        lambda inputs, mesh: [dist.shard_tensor(inputs[0], mesh, [S0])],
        lambda output, mesh: dist.reshard(output, mesh, [R]),
    )  # fmt: skip
    assert seen == ["", "0", "1"]
    assert [each.placements for each in net.parameters()] == [[S1], [R]] * 2
    assert net(paddle.ones([4, 2])).placements == [R]


def _training(stage, half, optimizer):
    paddle.seed(1)
    net = paddle.nn.Sequential(paddle.nn.Linear(16, 32), paddle.nn.GELU(), paddle.nn.Linear(32, 8))
    x = paddle.rand([16, 16])
    if half:
        net.bfloat16()
        x = x.astype("bfloat16")
    clip = paddle.nn.ClipGradByGlobalNorm(1.0)
    optimizer = optimizer(0.1, parameters=net.parameters(), grad_clip=clip, multi_precision=half)
    if stage is not None:
        mesh = line(8)
        dist.shard_optimizer(optimizer, stage("x", mesh))
        x = dist.shard_tensor(x, mesh, [S0])
    losses, taken = [], 0
    for _ in range(3):
        loss = (net(x) ** 2).mean()
        loss.backward()
        taken = bytes_per_device([each.grad for each in net.parameters()])
        optimizer.step()
        optimizer.clear_grad()
        losses.append(loss.item())
    state = optimizer.state_dict()
    state |= state.pop("master_weights", {})
    sizes = [bytes_per_device(net.parameters()), taken, bytes_per_device(list(state.values()))]
    return losses, sizes, optimizer


def _check_stages(half, optimizer):
    wanted, whole, _ = _training(None, half, optimizer)
    stages = (dist.ShardingStage1, dist.ShardingStage2, dist.ShardingStage3)
    for number, stage in enumerate(stages):
        losses, sizes, _ = _training(stage, half, optimizer)
        np.testing.assert_allclose(losses, wanted, rtol=2e-2 if half else 1e-5)
        divided = [number == 2, number > 0, True]
        for size, of_one, is_divided in zip(sizes, whole, divided, strict=True):
            # The powers of Adam, 8 bytes for each of 4 parameters, are whole.
            assert size <= of_one / 8 + 32 if is_divided else size == of_one


def check_the_stages_of_zero():
    _check_stages(False, paddle.optimizer.AdamW)


@deep
def check_the_stages_of_zero_with_master_weights():
    _check_stages(True, paddle.optimizer.Momentum)


def check_a_state_that_is_loaded_lies_as_the_stage_says():
    _, _, one = _training(None, False, paddle.optimizer.AdamW)
    _, _, other = _training(dist.ShardingStage1, False, paddle.optimizer.AdamW)
    saved = list(one.state_dict().values())
    names = list(other.state_dict())
    other.set_state_dict(dict(zip(names, saved, strict=True)))
    for name, value in other.state_dict().items():
        assert value.placements == [R if "pow_acc" in name else S0], name


def check_shard_fn_of_a_users_own():
    net = dist.shard_layer(paddle.nn.Linear(8, 8), line())
    seen = []

    def place(key, param, accumulator):
        seen.append(key)
        return dist.shard_tensor(accumulator, line(), [S1 if param.ndim == 2 else R])

    adam = paddle.optimizer.Adam(parameters=net.parameters())
    dist.shard_optimizer(adam, place)
    net(dist.shard_tensor(paddle.ones([4, 8]), line(), [S0])).sum().backward()
    adam.step()
    assert seen == ["moment1", "moment2"] * 2
    found = {name: each.placements for name, each in adam.state_dict().items()}
    assert found[f"{net.weight.name}_moment1_0"] == [S1]
    with pytest.raises(ValueError, match=r"axes \['x'\], but sharding_mesh_dim is 'dp'"):
        dist.shard_optimizer(adam, dist.ShardingStage1("dp"))


def check_stages_beside_tensor_parallel():
    stage = dist.ShardingStage3("x", grid())
    weight = dist.shard_tensor(paddle.create_parameter([4, 8], "float32"), grid(), [R, S1])
    odd = dist.shard_tensor(paddle.create_parameter([3, 8], "float32"), grid(), [R, S1])
    small = dist.shard_tensor(paddle.create_parameter([3], "float32"), grid(), [])
    assert stage.divided(weight) == [S0, S1]
    assert stage.divided(odd) == [S1, S1]
    assert stage.divided(small) == [R, R]


def check_batches():
    data = paddle.io.TensorDataset([numbers(8, 2), numbers(8)])
    loader = paddle.io.DataLoader(data, batch_size=4)
    found = list(dist.shard_dataloader(loader, grid(), shard_dims="y"))
    assert len(found) == 2
    assert [each.placements for each in found[0]] == [[R, S0]] * 2
    assert found[1][0].tolist() == numbers(8, 2)[4:].tolist()
    split = dist.shard_dataloader(loader, line(), shard_dims=0, is_dataset_splitted=True)
    assert [each.shape for each in next(iter(split))] == [[8, 2], [8]]
    with pytest.raises(ValueError, match="shard_dims must be set"):
        dist.shard_dataloader(loader, line(), is_dataset_splitted=True)


def check_the_order_of_batches_is_that_of_the_samplers_of_parts():
    rows = numbers(22)
    loader = paddle.io.DataLoader(paddle.io.TensorDataset([rows]), batch_size=8, shuffle=True)
    divided = dist.shard_dataloader(loader, grid(), shard_dims="y")
    samplers = [
        paddle.io.DistributedBatchSampler(range(22), 2, 4, part, shuffle=True) for part in range(4)
    ]
    assert len(divided) == 3
    assert divided.batch_size == 2
    for epoch in range(2):
        wanted = [[at for part in parts for at in part] for parts in zip(*samplers, strict=True)]
        assert [each[0].tolist() for each in divided] == wanted, epoch
    divided.batch_sampler.set_epoch(0)
    samplers[0].set_epoch(0)
    assert next(iter(divided))[0].tolist()[:2] == next(iter(samplers[0]))
    # A user's own order stays; a loader that is already divided is left as it is.
    own = paddle.io.BatchSampler(sampler=list(range(7, -1, -1)), batch_size=4)
    loader = paddle.io.DataLoader(paddle.io.TensorDataset([rows]), batch_sampler=own)
    assert next(iter(dist.shard_dataloader(loader, grid(), shard_dims="y")))[0].tolist() == [
        7, 6, 5, 4,
    ]  # fmt: skip
    loader = paddle.io.DataLoader(paddle.io.TensorDataset([rows]), batch_size=3)
    with pytest.raises(ValueError, match="A batch of 3 cannot be divided into 4 parts"):
        dist.shard_dataloader(loader, grid(), shard_dims="y")


def check_scaled_losses():
    net = dist.shard_layer(paddle.nn.Linear(8, 8), line())
    sgd = dist.shard_optimizer(
        paddle.optimizer.SGD(parameters=net.parameters()), dist.ShardingStage3("x")
    )
    scaler = dist.shard_scaler(
        paddle.amp.GradScaler(init_loss_scaling=8.0, use_dynamic_loss_scaling=False)
    )
    before = net.weight.numpy()
    for value in (float("inf"), 1.0):
        x = dist.shard_tensor(paddle.full([4, 8], value), line(), [S0])
        scaler.scale(net(x).sum()).backward()
        scaler.step(sgd)
        scaler.update()
        sgd.clear_grad()
        assert (net.weight.numpy() == before).all() == np.isinf(value)
        assert net.weight.placements == [S0]


def check_meshes_of_another_order():
    x = dist.shard_tensor(numbers(4, 2), dist.ProcessMesh([0, 1]), [S0])
    y = dist.shard_tensor(numbers(4, 2), dist.ProcessMesh([1, 0]), [S0])
    assert (x + y).tolist() == (numbers(4, 2) * 2.0).tolist()
    assert (y._local_value(1).tolist(), y.placements) == ([[0.0, 1.0], [2.0, 3.0]], [S0])


def check_what_is_refused():
    with pytest.raises(RuntimeError, match=r"processes \[7, 8\], but there are 8, 0 to 7"):
        dist.shard_tensor([1.0], dist.ProcessMesh([7, 8]), [R])
    with pytest.raises(ValueError, match=r"Axis 0 of a tensor of shape \[5\] has 5 elements"):
        dist.shard_tensor(paddle.ones([5]), line(), [S0])
    with pytest.raises(ValueError, match=r"cannot be placed by Shard\(dim=2\)"):
        dist.shard_tensor(paddle.ones([4, 4]), line(), [dist.Shard(2)])
    one = dist.shard_tensor(paddle.ones([4]), dist.ProcessMesh([0, 1]), [S0])
    other = dist.shard_tensor(paddle.ones([4]), dist.ProcessMesh([2, 3]), [S0])
    with pytest.raises(ValueError, match=r"\[cpu:0, cpu:1\] and y on \[cpu:2, cpu:3\]"):
        one + other
    with pytest.raises(ValueError, match="no part of the tensor for device 5"):
        one._local_value(5)


def check_random_ops_and_views():
    paddle.seed(3)
    x = dist.shard_tensor(paddle.ones([8, 8]), line(), [S0], stop_gradient=False)
    paddle.seed(3)
    dropped = paddle.nn.functional.dropout(x, 0.5)
    paddle.seed(3)
    wanted = paddle.nn.functional.dropout(paddle.ones([8, 8]), 0.5)
    assert dropped.tolist() == wanted.tolist()
    y = x * 1.0
    view = y[2:4]
    view.zero_()
    y.sum().backward()
    assert y.sum().item() == 48.0
    assert x.grad.tolist() == [[1.0] * 8] * 2 + [[0.0] * 8] * 2 + [[1.0] * 8] * 4


def check_logs_and_graphs_show_placements():
    from jaxeager.debug.common.tensor_text import tensor_text

    x = dist.shard_tensor(numbers(4, 8), grid(), [S0, S1], stop_gradient=False)
    lines = [line.strip() for line in tensor_text(x, 3).split("\n")]
    mesh = "{shape: [2,4], process_ids: [0,1,2,3,4,5,6,7], dim_names: [x,y]}"
    assert lines[2:-1] == [
        "Type: DistTensor,",
        "Dtype: float32,",
        "Place: Place(cpu),",
        "Shape: 4, 8, Local Shape: 2, 2,",
        f"DistAttr: {{process_mesh: {mesh}, dim_mappings: [[0] [1] ], partial: []}}",
    ]
    whole = dist.shard_tensor(numbers(4), grid(), [])
    assert "dim_mappings: [[] ], partial: []" in tensor_text(whole, 6)
    graph = paddle.debug.walk_backward_graph((x * 2.0).sum())
    assert "P('x', 'y')" in paddle.debug.to_dot(graph)
    with tempfile.TemporaryDirectory() as folder:
        (x * x).sum().backward(dump_backward_graph_path=folder)
        (path,) = Path(folder).glob("*_backward_graph.dot")
        assert "Place(cpu) [Shard(dim=0), Shard(dim=1)]" in path.read_text()


def check_steps_as_one_program():
    def made():
        paddle.seed(1)
        net = paddle.nn.Sequential(
            paddle.nn.Linear(16, 16), paddle.nn.Dropout(0.5), paddle.nn.Linear(16, 8)
        )
        adam = paddle.optimizer.AdamW(0.1, parameters=net.parameters())
        dist.shard_optimizer(adam, dist.ShardingStage3("x", line(8)))
        paddle.seed(2)
        x, y = paddle.rand([16, 16]), paddle.rand([16, 8])
        return net, adam, dist.shard_tensor(x, line(8), [S0]), dist.shard_tensor(y, line(8), [S0])

    net, adam, x, y = made()
    wanted = []
    for _ in range(3):
        loss = paddle.nn.functional.mse_loss(net(x), y)
        loss.backward()
        adam.step()
        adam.clear_grad()
        wanted.append(loss.item())
    drawn = paddle.rand([2]).tolist()
    other, adam, x, y = made()
    model = dist.to_static(other, None, paddle.nn.MSELoss(), adam)
    assert model.mode == "train"
    np.testing.assert_allclose([model(x, y).item() for _ in range(3)], wanted, rtol=1e-5)
    assert paddle.rand([2]).tolist() == drawn  # the step drew as much as the ops did
    for a, b in zip(net.parameters(), other.parameters(), strict=True):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-4, atol=1e-5)
        assert (a.placements, b.grad) == (b.placements, None)
    found = counted(model.compiled(x, y))
    assert set(found) == {"all-reduce", "all-gather"}
    assert found["all-gather"] <= 2 * len(net.parameters())
    model.eval()
    net.eval()
    loss = paddle.nn.functional.mse_loss(net(x), y).item()
    assert abs(model(x, y).item() - loss) < 1e-5
    model.predict()
    np.testing.assert_allclose(model(x).numpy(), net(x).numpy(), rtol=1e-4, atol=1e-5)
    state = {name: each.numpy() for name, each in model.state_dict().items()}
    model.train()
    model(x, y)
    model.set_state_dict(state)
    for name, each in model.state_dict().items():
        assert (each.numpy() == state[name]).all(), name
    model(x, y)
    with pytest.raises(ValueError, match=r"train\(\) needs a loss and an optimizer"):
        dist.to_static(net).train()
