"""paddle.distributed and fleet in a program that runs as one process."""

import os
import tempfile

from ..probe import error_of
from ..registry import differs, program


def distributed(paddle):
    """Returns paddle.distributed without a group that another program left."""
    if paddle.distributed.is_initialized():
        paddle.distributed.destroy_process_group()
    return paddle.distributed


def weights(np, shape):
    """Returns values that tell a weight's elements apart."""
    return np.linspace(-1.0, 1.0, int(np.prod(shape))).reshape(shape).astype("float32")


def filled(np, layer):
    """Gives all parameters of a layer known values."""
    for parameter in layer.parameters():
        parameter.set_value(weights(np, parameter.shape))
    return layer


@program
def who_this_process_is(paddle, np):
    """Rank, world size and what is set up, before and after init_parallel_env."""
    dist = distributed(paddle)
    env = dist.ParallelEnv()
    return [
        dist.get_rank(), dist.get_world_size(), dist.is_initialized(), dist.is_available(),
        dist.get_group(), dist.get_group(7), dist.init_parallel_env(), dist.get_rank(),
        env.rank, env.local_rank, env.world_size, env.nranks, env.current_endpoint,
        env.trainer_endpoints, env.nrings, env.pg_timeout,
        [getattr(dist.ReduceOp, name) for name in ("SUM", "MAX", "MIN", "PROD", "AVG")],
    ]  # fmt: skip


@program
def calls_before_there_is_a_group(paddle, np):
    """Each call between processes wants init_parallel_env first."""
    dist, x = distributed(paddle), paddle.ones([2])
    calls = [
        lambda: dist.all_reduce(x), lambda: dist.all_gather([], x), dist.barrier,
        lambda: dist.broadcast(x, 0), lambda: dist.reduce(x, 0), lambda: dist.scatter(x, [x], 0),
        lambda: dist.all_gather_object([], 1), lambda: dist.broadcast_object_list([1], 0),
        lambda: dist.send(x, 0), lambda: dist.recv(x, 0), lambda: dist.alltoall([], [x]),
        lambda: dist.reduce_scatter(x, [x]), dist.destroy_process_group, dist.get_backend,
    ]  # fmt: skip
    return [error_of(call) for call in calls]


@program(rtol=1e-2, reason="of the gradient a normalisation leaves a thousandth of its terms")
def data_parallel_wraps(paddle, np):
    """What a wrapped network computes, and under which names it has its state."""
    net = filled(np, paddle.nn.Sequential(paddle.nn.Linear(2, 3), paddle.nn.BatchNorm1D(3)))
    wrapped = paddle.DataParallel(net)
    text = str(wrapped)
    y = wrapped(paddle.to_tensor(weights(np, (4, 2))))
    with wrapped.no_sync():
        inside = wrapped.grad_need_sync
        wrapped.scale_loss((y * y * y).sum()).backward()
    wrapped.apply_collective_grads()
    wrapped.set_state_dict({name: value * 2 for name, value in net.state_dict().items()})
    wrapped.eval()
    return [
        y.numpy(), net[0].weight.grad.numpy(), inside,
        wrapped.grad_need_sync, list(wrapped.state_dict()),
        [name for name, _ in wrapped.named_parameters()],
        [name for name, _ in wrapped.named_sublayers()], wrapped._layers is net, net.training,
        wrapped.find_unused_parameters, wrapped.group, net[0].weight.numpy(),
        isinstance(wrapped, paddle.nn.Layer), text,
    ]  # fmt: skip


@program
def strategies_are_settings(paddle, np):
    """DistributedStrategy: its defaults, what can be written, and what cannot."""
    strategy = paddle.distributed.fleet.DistributedStrategy()
    subjects = (
        "pipeline_configs", "sharding_configs", "recompute_configs", "gradient_merge_configs",
        "localsgd_configs", "tensor_parallel_configs", "dgc_configs", "a_sync_configs",
        "adaptive_localsgd_configs", "qat_configs", "gradient_scale_configs",
        "trainer_desc_configs",
    )  # fmt: skip
    numbers = {k: v for k, v in strategy.hybrid_configs.items() if isinstance(v, int)}
    switches = (
        "amp", "recompute", "a_sync", "sharding", "pipeline", "lars", "find_unused_parameters",
        "fuse_all_reduce_ops", "fuse_grad_size_in_MB", "nccl_comm_num", "sync_param_name",
        "hybrid_parallel_order", "last_comm_group_size_MB", "without_graph_optimization",
    )  # fmt: skip
    found = [{name: dict(getattr(strategy, name)) for name in subjects}, numbers]
    found.append({name: getattr(strategy, name) for name in switches})
    strategy.hybrid_configs = {"dp_degree": 1, "pp_configs": {"delay_scale_loss": True}}
    strategy.pipeline_configs = {"accumulate_steps": 4}
    strategy.amp, strategy.nccl_comm_num = True, 3
    strategy.recompute = "yes"
    found += [
        strategy.hybrid_configs["dp_degree"],
        strategy.hybrid_configs["pp_configs"].delay_scale_loss,
        strategy.pipeline_configs["accumulate_steps"], strategy.amp, strategy.nccl_comm_num,
        strategy.recompute,
    ]  # fmt: skip
    return [*found, error_of(lambda: setattr(strategy, "no_such", 1))]


@program
def fleet_of_one(paddle, np):
    """What fleet says after init, and training through what it returns."""
    fleet = distributed(paddle).fleet
    fleet.init(is_collective=True)
    hcg = fleet.get_hybrid_communicate_group()
    net = filled(np, paddle.nn.Linear(2, 3))
    sgd = paddle.optimizer.SGD(0.1, parameters=net.parameters())
    optimizer = fleet.distributed_optimizer(sgd)
    (net(paddle.to_tensor(weights(np, (4, 2)))) ** 2).sum().backward()
    optimizer.step()
    optimizer.clear_grad()
    return [
        fleet.worker_num(), fleet.worker_index(), fleet.is_first_worker(), fleet.is_worker(),
        fleet.is_server(), fleet.nranks(), fleet.rank(), fleet.world_size(), fleet.node_num(),
        fleet.server_num(), fleet.server_endpoints(), fleet.barrier_worker(),
        hcg.get_data_parallel_rank(), hcg.get_data_parallel_world_size(),
        hcg.get_model_parallel_rank(), hcg.get_model_parallel_world_size(), hcg.get_stage_id(),
        hcg.get_sharding_parallel_world_size(), hcg.get_data_parallel_group().nranks,
        hcg.get_data_parallel_group_src_rank(), hcg.is_first_stage, hcg.is_last_stage,
        fleet.util.get_file_shard(["a", "b"]), fleet.util.all_gather(3), fleet.util.barrier(),
        fleet.util.all_reduce((1, 2), "max"), optimizer is sgd, net.weight.numpy(),
        error_of(lambda: fleet.init(role_maker=3)),
        error_of(lambda: fleet.init(is_collective=3)),
        error_of(lambda: fleet.util.get_file_shard("a")),
    ]  # fmt: skip


@program
def grids_of_processes(paddle, np):
    """CommunicateTopology: numbers, lines and planes of a grid."""
    grid = paddle.distributed.fleet.CommunicateTopology(["data", "pipe", "model"], [2, 3, 2])
    return [
        grid.world_size(), grid.get_hybrid_group_names(), grid.get_dim("pipe"),
        grid.get_rank(data=1, pipe=2, model=0), tuple(grid.get_coord(7)),
        grid.get_axis_list("pipe", 1), grid.get_comm_list("model"), grid.get_comm_list("data"),
        sorted(grid.get_fused_ranks(["data", "model"])),
        grid.get_rank_from_stage(1, pipe=2),
    ]  # fmt: skip


@program
def layers_of_model_parallel(paddle, np):
    """The layers whose weights processes could share, as one process has them."""
    meta = paddle.distributed.fleet.meta_parallel
    paddle.distributed.fleet.init(is_collective=True)
    x = paddle.to_tensor(weights(np, (3, 4)))
    column = filled(np, meta.ColumnParallelLinear(4, 6, has_bias=True))
    row = filled(np, meta.RowParallelLinear(4, 6))
    table = filled(np, meta.VocabParallelEmbedding(10, 4))
    tracker = meta.get_rng_state_tracker()
    meta.model_parallel_random_seed(7)
    with tracker.rng_state():
        inside = paddle.rand([2])
    return [
        column(x).numpy(), row(x).numpy(), table(paddle.to_tensor([1, 9])).numpy(),
        [list(each.state_dict()) for each in (column, row, table)],
        list(meta.ColumnParallelLinear(4, 6).state_dict()),
        list(meta.RowParallelLinear(4, 6, has_bias=False).state_dict()),
        [p.is_distributed for p in column.parameters()], column.world_size, row.is_mp,
        list(tracker.get_states_tracker()), sorted(tracker.seeds_), list(inside.shape),
        error_of(lambda: tracker.add("other", 8)),
        error_of(lambda: tracker.rng_state("other").__enter__()),
    ]  # fmt: skip


@program
def files_of_this_machine(paddle, np):
    """LocalFS: what it makes, lists, moves, refuses."""
    files, folder = paddle.distributed.fleet.utils.LocalFS(), tempfile.mkdtemp()
    at = lambda name: os.path.join(folder, name)  # noqa: E731 - a word for a path
    found = [files.mkdirs(at("a/b")), files.touch(at("f")), files.ls_dir(folder)]
    found += [files.list_dirs(folder), files.is_dir(at("a")), files.is_file(at("f"))]
    found += [files.is_exist(at("none")), files.need_upload_download()]
    found += [files.mv(at("f"), at("g")), files.ls_dir(folder), files.touch(at("h"))]
    found += [files.mv(at("h"), at("g"), overwrite=True), files.ls_dir(folder)]
    found += [files.delete(at("a")), files.delete(at("none")), files.ls_dir(at("none"))]
    refused = []
    for call in (
        lambda: files.touch(at("g"), exist_ok=False),
        lambda: files.mv(at("x"), at("y")),
        lambda: files.rename(at("x"), at("y")),
    ):
        try:
            call()
        except Exception as error:
            refused.append(type(error).__name__)
    return [*found, refused]


def training(paddle, np, loss_fn=None, **pipeline):
    """Returns a PipelineLayer in what trains it, an optimizer and a batch."""
    meta, fleet = paddle.distributed.fleet.meta_parallel, paddle.distributed.fleet
    if "device_id" in vars(paddle.distributed.ParallelEnv):  # Paddle's raises without a GPU
        paddle.distributed.ParallelEnv.device_id = 0
    strategy = fleet.DistributedStrategy()
    strategy.pipeline_configs = pipeline
    fleet.init(is_collective=True, strategy=strategy)
    fleet.fleet._user_defined_strategy = strategy
    parts = [meta.LayerDesc(paddle.nn.Linear, 2, 3), paddle.tanh, paddle.nn.Linear(3, 1)]
    net = filled(np, meta.PipelineLayer(parts, num_stages=1, loss_fn=loss_fn))
    model = fleet.distributed_model(net)
    batch = [paddle.to_tensor(weights(np, (4, 2))), paddle.ones([4, 1])]
    return model, paddle.optimizer.SGD(0.1, parameters=model.parameters()), batch


@program
def pipelines_of_one_stage(paddle, np):
    """train_batch and eval_batch: losses, names and weights."""
    pipeline = {"accumulate_steps": 2, "micro_batch_size": 2}
    model, sgd, batch = training(paddle, np, paddle.nn.MSELoss(), **pipeline)
    losses = [model.train_batch(batch, sgd) for _ in range(2)]
    parts = model.train_batch(batch, sgd, return_micro_batch_loss=True)
    return [
        [loss.numpy() for loss in losses], parts.numpy(), model.eval_batch(batch, True).numpy(),
        list(model.state_dict()), [p.numpy() for p in model.parameters()],
        model._layers(batch[0]).numpy(),
    ]  # fmt: skip


@program
def pipelines_share_layers(paddle, np):
    """A SharedLayerDesc: one table that embeds and that logits are made of."""
    meta = paddle.distributed.fleet.meta_parallel
    training(paddle, np)

    def logits(layer, x):
        return paddle.matmul(x, layer.weight, transpose_y=True)

    parts = [
        meta.SharedLayerDesc("word", paddle.nn.Embedding, None, "weight", 5, 3),
        meta.SharedLayerDesc("word", paddle.nn.Embedding, logits, "weight", 5, 3),
    ]
    net = filled(np, meta.PipelineLayer(parts, num_stages=1))
    y = net(paddle.to_tensor([0, 4]))
    (y * y).sum().backward()
    (weight,) = net.parameters()
    return [y.numpy(), weight.grad.numpy(), list(net.state_dict())]


@differs(
    "init_parallel_env does nothing with one process, so calls between processes raise",
    right=[True, [1.0, 2.0], [[1.0, 2.0]], [{"a": 1}], [3.0, 4.0]],
    paddle_gives=[False, "RuntimeError"],
)
def calls_among_one_process(paddle, np):
    """all_reduce and the like after init_parallel_env."""
    dist = paddle.distributed
    dist.init_parallel_env()
    found = [dist.is_initialized()]
    try:
        x = paddle.to_tensor([1.0, 2.0])
        dist.all_reduce(x)
        tensors, objects, part = [], [], paddle.zeros([2])
        dist.all_gather(tensors, x)
        dist.all_gather_object(objects, {"a": 1})
        dist.scatter(part, [x + 2])
        found += [x.tolist(), [each.tolist() for each in tensors], objects, part.tolist()]
    except RuntimeError as error:
        found.append(type(error).__name__)
    if dist.is_initialized():
        dist.destroy_process_group()
    return found


@differs(
    "ParallelCrossEntropy returns None: a group of one process counts as having no members",
    right=[2, 1],
    paddle_gives=None,
)
def cross_entropy_of_one_process(paddle, np):
    """The shape of the loss."""
    paddle.distributed.fleet.init(is_collective=True)
    layer = paddle.distributed.fleet.meta_parallel.ParallelCrossEntropy()
    loss = layer(paddle.zeros([2, 4]), paddle.to_tensor([[1], [2]]))
    return loss if loss is None else list(loss.shape)
