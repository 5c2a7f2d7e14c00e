"""fleet, DataParallel and sharding with incorrect programs and settings; parity has the rest."""

import pytest

import jaxeager as paddle
from jaxeager import distributed as dist
from jaxeager import nn
from jaxeager.distributed import fleet
from jaxeager.distributed.fleet import meta_parallel as meta
from jaxeager.distributed.fleet.layers.mpu import mp_ops


@pytest.fixture
def fleet_of_one():
    yield fleet.init(is_collective=True)
    dist.destroy_process_group()


def test_nothing_is_known_before_init():
    new = fleet.Fleet()
    for question in (new.worker_num, new.is_first_worker, new.get_hybrid_communicate_group):
        with pytest.raises(RuntimeError, match=r"Call paddle.distributed.fleet.init\(\) first"):
            question()


def test_degrees_need_as_many_processes():
    strategy = fleet.DistributedStrategy()
    strategy.hybrid_configs = {"dp_degree": 2}
    with pytest.raises(ValueError, match=r"There is 1 process.*'data': 2.*need 2"):
        fleet.init(strategy=strategy)
    with pytest.raises(ValueError, match="`strategy` should be a DistributedStrategy"):
        fleet.init(strategy=3)
    with pytest.raises(NotImplementedError, match="Parameter servers are not part of jaxeager"):
        fleet.UserDefinedRoleMaker(role=fleet.Role.SERVER)


def test_roles_are_those_that_were_given(fleet_of_one):
    told = fleet.UserDefinedRoleMaker(
        current_id=0, worker_num=1, worker_endpoints=["h:1"], server_endpoints=["h:2", "h:3"]
    )
    fleet.init(told)
    assert [fleet.worker_endpoints(True), fleet.server_endpoints(True)] == ["h:1", "h:2,h:3"]
    assert fleet.server_num() == 2
    assert "worker_endpoints: ['h:1']" in told.to_string()
    assert fleet.local_device_ids() == [0]


def test_a_strategy_refuses_and_warns(caplog, tmp_path):
    strategy = fleet.DistributedStrategy()
    with pytest.raises(ValueError, match="key:foo not in amp_configs; it has init_loss_scaling"):
        strategy.amp_configs = {"foo": 1}
    with pytest.raises(TypeError, match="amp_configs takes a dict"):
        strategy.amp_configs = 3
    strategy.sync_batch_norm = 1
    strategy.fuse_grad_size_in_MB = 1.5
    assert "sync_batch_norm should have value of bool type" in caplog.text
    assert "fuse_grad_size_in_MB should have value of int type" in caplog.text
    assert repr(strategy) == "DistributedStrategy()"
    strategy.amp = True
    strategy.hybrid_configs = {"pp_configs": {"delay_scale_loss": True}}
    strategy.save_to_prototxt(str(tmp_path / "s"))
    read = fleet.DistributedStrategy()
    read.load_from_prototxt(str(tmp_path / "s"))
    assert repr(read) == repr(strategy)
    (tmp_path / "s").write_text("amp: true")
    with pytest.raises(ValueError, match="has no settings in JSON"):
        read.load_from_prototxt(str(tmp_path / "s"))


def test_grids_refuse_what_is_not_there():
    grid = fleet.CommunicateTopology(["data", "model"], [2, 2])
    with pytest.raises(ValueError, match=r"no axis 'pipe'; there are \['data', 'model'\]"):
        grid.get_dim("pipe")
    with pytest.raises(ValueError, match=r"no coordinates \{'data': 2, 'model': 0\}"):
        grid.get_rank(data=2, model=0)
    with pytest.raises(ValueError, match="no rank 4"):
        grid.get_coord(4)
    with pytest.raises(ValueError, match="a length for each axis"):
        fleet.CommunicateTopology(["data"], [2, 2])


def test_pipelines_refuse(fleet_of_one):
    with pytest.raises(TypeError, match="should be a derived class of Layer"):
        meta.LayerDesc(3)
    with pytest.raises(ValueError, match="should provide num_stages or topology"):
        meta.PipelineLayer([])
    with pytest.raises(ValueError, match=r"There are 1 processes along 'pipe'.*received 2 stages"):
        meta.PipelineLayer([], num_stages=2)
    with pytest.raises(TypeError, match="takes a Layer, but received 3"):
        fleet.distributed_model(3)
    with pytest.raises(TypeError, match="takes a PipelineLayer"):
        meta.NoPipelineParallel(nn.Linear(2, 3), fleet.DistributedStrategy())
    x = paddle.ones([4, 2])
    model = fleet.distributed_model(meta.PipelineLayer([nn.Linear(2, 3)], num_stages=1))
    with pytest.raises(ValueError, match="loss function 0 should exist"):
        model.eval_batch([x, x])
    losing = meta.PipelineLayer([nn.Linear(2, 2)], num_stages=1, loss_fn=nn.MSELoss())
    with pytest.raises(ValueError, match=r"must have .* = 1 \* 1 rows, but received 4"):
        fleet.distributed_model(losing).eval_batch([x, x])


def test_pipelines_recompute_scale_and_take_iterators(fleet_of_one):
    strategy = fleet.DistributedStrategy()
    strategy.pipeline_configs = {"accumulate_steps": 2, "micro_batch_size": 2}
    plain = nn.Linear(2, 2)
    x, label = paddle.rand([4, 2]), paddle.rand([4, 2])
    nn.MSELoss()(plain(x), label).backward()
    for delay in (False, True):
        strategy.hybrid_configs = {"pp_configs": {"delay_scale_loss": delay}}
        net = meta.PipelineLayer(
            [plain, lambda x: (x, 1.0), lambda x, scale: x * scale],
            num_stages=1, loss_fn=nn.MSELoss(), recompute_interval=1,
        )  # fmt: skip
        model = meta.NoPipelineParallel(net, strategy)
        before = plain.weight.numpy()
        sgd = paddle.optimizer.SGD(0.0, parameters=model.parameters())
        scaler = paddle.amp.GradScaler(init_loss_scaling=8.0)
        rate = paddle.optimizer.lr.StepDecay(0.1, 1)
        parts = iter([(x[:2], label[:2]), (x[2:], label[2:])])
        grad = plain.weight.grad.numpy()
        plain.weight.clear_gradient()
        seen = []
        step = sgd.step
        sgd.step = lambda seen=seen, step=step: seen.append(plain.weight.grad.numpy()) or step()
        loss = model.train_batch(parts, sgd, rate, scaler)
        plain.weight.grad = paddle.to_tensor(grad)
        assert loss.item() == pytest.approx(nn.MSELoss()(plain(x), label).item(), rel=1e-5)
        assert seen[0] == pytest.approx(grad, rel=1e-4)
        assert (plain.weight.numpy() == before).all()
        assert rate.last_epoch == 1


def test_wrappers_run_what_they_wrap(fleet_of_one):
    net = nn.Linear(2, 3)
    x = paddle.ones([1, 2])
    for wrapper in (meta.TensorParallel, meta.ShardingParallel, meta.SegmentParallel):
        assert wrapper(net, None)(x).tolist() == net(x).tolist()
    with pytest.raises(TypeError, match="DataParallel takes a Layer"):
        paddle.DataParallel(3)
    from jaxeager.distributed.fleet.utils import hybrid_parallel_util

    hybrid_parallel_util.broadcast_dp_parameters(net, None)
    with pytest.raises(TypeError, match="takes a Layer"):
        hybrid_parallel_util.broadcast_dp_parameters(3, None)


def test_loading_through_a_wrapper_says_what_was_missing():
    net = paddle.DataParallel(nn.Linear(2, 3))
    with pytest.warns(UserWarning, match="Skip loading for weight"):
        missing, unknown = net.set_state_dict({"bias": paddle.zeros([3]), "_layers.w": 1})
    assert (missing, unknown) == (["weight"], ["_layers.w"])


def test_labels_of_parallel_cross_entropy():
    logits = paddle.to_tensor([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]])
    layer = meta.ParallelCrossEntropy(ignore_index=2)
    wanted = nn.functional.cross_entropy(logits[:1], paddle.to_tensor([1]))
    for label in ([1, 2], [[1], [2]]):
        found = layer(logits, paddle.to_tensor(label))
        assert found.shape == [2, 1]
        assert found[0].item() == pytest.approx(wanted.item(), rel=1e-6)
        assert found[1].item() == 0
    with pytest.raises(ValueError, match="An embedding has a table"):
        meta.VocabParallelEmbedding(3, 4, weight_attr=False)


def test_sharded_models_are_saved_whole(tmp_path):
    net = nn.Linear(2, 3)
    adam = paddle.optimizer.Adam(parameters=net.parameters())
    found = dist.group_sharded_parallel(net, adam, "p_g_os", scaler="s")
    assert found == (net, adam, "s")
    dist.save_group_sharded_model(net, str(tmp_path / "out"), adam)
    assert (tmp_path / "out" / "model.pdopt").exists()
    assert list(paddle.load(str(tmp_path / "out" / "model.pdparams"))) == ["weight", "bias"]
    with pytest.raises(ValueError, match="The level is 'os'"):
        dist.group_sharded_parallel(net, adam, "all")
    with pytest.raises(ValueError, match="should be a directory, not a file"):
        dist.save_group_sharded_model(net, str(tmp_path / "out" / "model.pdopt"))


def test_sharded_objects_train_like_those_they_wrap():
    """Sharded optimizers and layers train like the objects they wrap."""
    sharding = fleet.meta_parallel.sharding
    net = paddle.nn.Linear(2, 1)
    sgd = paddle.optimizer.SGD(0.5, parameters=net.parameters())
    make = sharding.group_sharded_optimizer_stage2.GroupShardedOptimizerStage2
    optimizer = make(net.parameters(), sgd)
    before = net.weight.numpy()
    for wrapped in (
        sharding.group_sharded_stage2.GroupShardedStage2(net, optimizer),
        sharding.group_sharded_stage3.GroupShardedStage3(net, optimizer),
    ):
        wrapped(paddle.ones([1, 2])).sum().backward()
    optimizer.step()
    optimizer.clear_grad()
    assert (before - net.weight.numpy()).ravel().tolist() == pytest.approx([1.0, 1.0])
    assert net.weight.grad.tolist() == [[0.0], [0.0]]
    scaler = paddle.amp.GradScaler()
    assert sharding.group_sharded_utils.GroupShardedScaler(scaler) is scaler


def test_a_shared_table_gives_zeros_for_rows_of_other_processes():
    table = paddle.to_tensor([[float("inf"), float("nan")], [1.0, 2.0]], stop_gradient=False)
    rows = mp_ops._c_lookup_table(table, paddle.to_tensor([7, 4, 3]), start_index=3)
    assert rows.tolist()[:2] == [[0.0, 0.0], [1.0, 2.0]]
    (rows[:2] * 3.0).sum().backward()
    assert table.grad.tolist() == [[0.0, 0.0], [3.0, 3.0]]
