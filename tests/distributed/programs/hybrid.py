"""Models that ranks share, step by step beside one process that has all of it."""

import sys

import numpy as np
import paddle
import paddle.distributed as dist
from paddle.distributed import fleet
from paddle.distributed.fleet.meta_parallel import (
    ColumnParallelLinear,
    LayerDesc,
    ParallelCrossEntropy,
    PipelineLayer,
    RowParallelLinear,
    SharedLayerDesc,
    VocabParallelEmbedding,
    get_rng_state_tracker,
)
from paddle.distributed.fleet.utils import sequence_parallel_utils as sequences

VOCAB, WIDTH, HIDDEN, ROWS = 16, 8, 12, 8


class Whole(paddle.nn.Layer):
    """The model of one process, on the whole batch."""

    def __init__(self):
        super().__init__()
        self.words = paddle.nn.Embedding(VOCAB, WIDTH)
        self.norm = paddle.nn.LayerNorm(WIDTH)
        self.up = paddle.nn.Linear(WIDTH, HIDDEN)
        self.down = paddle.nn.Linear(HIDDEN, WIDTH)
        self.head = paddle.nn.Linear(WIDTH, VOCAB)

    def forward(self, words, labels):
        x = self.norm(self.words(words))
        x = x + self.down(paddle.nn.functional.gelu(self.up(x)))
        return paddle.nn.functional.cross_entropy(self.head(x), labels, reduction="none")


class Shared(paddle.nn.Layer):
    """The same, its weights in parts."""

    def __init__(self, in_sequence=False):
        super().__init__()
        self.words = VocabParallelEmbedding(VOCAB, WIDTH)
        self.norm = paddle.nn.LayerNorm(WIDTH)
        self.in_sequence = in_sequence
        column, row = ColumnParallelLinear, RowParallelLinear
        if in_sequence:
            column = sequences.ColumnSequenceParallelLinear
            row = sequences.RowSequenceParallelLinear
            for each in self.norm.parameters():
                sequences.mark_as_sequence_parallel_parameter(each)
        self.up = column(WIDTH, HIDDEN, has_bias=True, gather_output=False)
        self.down = row(HIDDEN, WIDTH, input_is_parallel=True)
        self.head = ColumnParallelLinear(WIDTH, VOCAB, has_bias=True, gather_output=False)
        self.loss = ParallelCrossEntropy()

    def forward(self, words, labels):
        x = self.words(words)
        if self.in_sequence:
            x = sequences.ScatterOp.apply(x)
        x = self.norm(x)
        x = x + self.down(paddle.nn.functional.gelu(self.up(x)))
        if self.in_sequence:
            x = sequences.GatherOp.apply(x)
        return self.loss(self.head(x), labels).squeeze(-1)


def take_part(shared, whole, hcg):
    """Gives a shared model its parts of the weights of a whole one."""
    place, count = hcg.get_model_parallel_rank(), hcg.get_model_parallel_world_size()
    for mine, all_of_it in zip(shared.parameters(), whole.parameters(), strict=True):
        value = all_of_it.numpy()
        if mine.is_distributed:
            value = np.split(value, count, mine.split_axis)[place]
        mine.set_value(value)


def compare(shared, whole, hcg):
    place, count = hcg.get_model_parallel_rank(), hcg.get_model_parallel_world_size()
    for mine, all_of_it in zip(shared.parameters(), whole.parameters(), strict=True):
        value = all_of_it.numpy()
        if mine.is_distributed:
            value = np.split(value, count, mine.split_axis)[place]
        np.testing.assert_allclose(mine.numpy(), value, rtol=1e-4, atol=1e-5)


def optimizer_of(parameters):
    # Its moments are state; Adam would divide gradients of almost nothing by almost nothing.
    clip = paddle.nn.ClipGradByGlobalNorm(0.5)
    return paddle.optimizer.Momentum(0.5, parameters=parameters, grad_clip=clip)


def train(make=Shared, **degrees):
    """Trains two steps; the batch is shared along dp and sharding, as they see other data."""
    strategy = fleet.DistributedStrategy()
    strategy.hybrid_configs = degrees
    strategy.tensor_parallel_configs = {"tensor_init_seed": 5}
    fleet.init(is_collective=True, strategy=strategy)
    hcg = fleet.get_hybrid_communicate_group()
    paddle.seed(3)
    whole = Whole()
    shared = make()
    if isinstance(shared, Shared):
        take_part(shared, whole, hcg)
    if dist.get_rank() == 0:  # the others have the same in the end
        shared.set_state_dict({k: v.clone() for k, v in shared.state_dict().items()})
    model = fleet.distributed_model(shared)
    if not isinstance(shared, Shared):  # all have the weights of the first
        whole.set_state_dict(shared.state_dict())
    if getattr(shared, "in_sequence", False):
        sequences.register_sequence_parallel_allreduce_hooks(shared, 1, False)
    optimizer = fleet.distributed_optimizer(optimizer_of(shared.parameters()))
    of_one = optimizer_of(whole.parameters())
    pieces = hcg.get_data_parallel_world_size() * hcg.get_sharding_parallel_world_size()
    piece = (
        hcg.get_data_parallel_rank() * hcg.get_sharding_parallel_world_size()
        + hcg.get_sharding_parallel_rank()
    )
    for step in range(2):
        rng = np.random.RandomState(step)
        words = paddle.to_tensor(rng.randint(0, VOCAB, [ROWS]))
        labels = paddle.to_tensor(rng.randint(0, VOCAB, [ROWS]))
        rows = slice(piece * ROWS // pieces, (piece + 1) * ROWS // pieces)
        model(words[rows], labels[rows]).mean().backward()
        whole(words, labels).mean().backward()
        optimizer.step()
        of_one.step()
        optimizer.clear_grad()
        of_one.clear_grad()
    compare(shared, whole, hcg)
    states = optimizer.state_dict()
    dist.destroy_process_group()
    return model, shared, states


def entries():
    """A network as a list, whose first and last entry share a table."""
    table = (paddle.nn.Embedding, None, "weight", VOCAB, WIDTH)

    def logits(layer, x):
        return paddle.matmul(x, layer.weight, transpose_y=True)

    return [
        SharedLayerDesc("words", *table),
        LayerDesc(paddle.nn.Linear, WIDTH, HIDDEN),
        paddle.nn.functional.gelu,
        LayerDesc(paddle.nn.Linear, HIDDEN, WIDTH),
        LayerDesc(paddle.nn.LayerNorm, WIDTH),
        SharedLayerDesc("words", paddle.nn.Embedding, logits, "weight", VOCAB, WIDTH),
    ]


def pipeline(stages, parts, **degrees):
    """Trains a PipelineLayer of several stages, and of one beside it."""
    strategy = fleet.DistributedStrategy()
    strategy.hybrid_configs = {"pp_degree": stages, **degrees}
    strategy.pipeline_configs = {"accumulate_steps": parts, "micro_batch_size": ROWS // parts}
    fleet.init(is_collective=True, strategy=strategy)
    loss_fn = paddle.nn.CrossEntropyLoss()
    paddle.seed(11)
    net = PipelineLayer(entries(), num_stages=stages, loss_fn=loss_fn)
    paddle.seed(11)
    layers = [each.build_layer() for each in entries()[:-1] if isinstance(each, LayerDesc)]
    of_one = paddle.optimizer.Momentum(
        0.5, parameters=[p for each in layers for p in each.parameters()],
        grad_clip=paddle.nn.ClipGradByGlobalNorm(0.5),
    )  # fmt: skip
    model = fleet.distributed_model(net)
    optimizer = fleet.distributed_optimizer(optimizer_of(net.parameters()))
    for step in range(2):
        rng = np.random.RandomState(step)
        words = paddle.to_tensor(rng.randint(0, VOCAB, [ROWS]))
        labels = paddle.to_tensor(rng.randint(0, VOCAB, [ROWS]))
        found = model.train_batch([words, labels], optimizer)
        x = layers[3](layers[2](paddle.nn.functional.gelu(layers[1](layers[0](words)))))
        wanted = loss_fn(paddle.matmul(x, layers[0].weight, transpose_y=True), labels)
        wanted.backward()
        of_one.step()
        of_one.clear_grad()
        np.testing.assert_allclose(found.item(), wanted.item(), rtol=1e-5)
    last = model.eval_batch([words, labels])
    x = layers[3](layers[2](paddle.nn.functional.gelu(layers[1](layers[0](words)))))
    wanted = loss_fn(paddle.matmul(x, layers[0].weight, transpose_y=True), labels)
    np.testing.assert_allclose(last.item(), wanted.item(), rtol=1e-5)
    dist.destroy_process_group()
    return model, net


def masked_logits():
    """Compares the loss of logits, of which some are -inf, with that of one process."""
    strategy = fleet.DistributedStrategy()
    strategy.hybrid_configs = {"mp_degree": 2}
    fleet.init(is_collective=True, strategy=strategy)
    first = 2 * fleet.get_hybrid_communicate_group().get_model_parallel_rank()
    masked = -np.inf
    values = np.array([[masked, 1, 2, masked], [0.5, 1, masked, 3], [1, 2, masked, 4]], "float32")
    labels = paddle.to_tensor([[2], [1], [3]])
    whole = paddle.to_tensor(values, stop_gradient=False)
    wanted = paddle.nn.functional.cross_entropy(whole, labels, reduction="none")
    wanted.sum().backward()
    part = paddle.to_tensor(values[:, first : first + 2], stop_gradient=False)
    found = ParallelCrossEntropy()(part, labels)
    found.sum().backward()
    np.testing.assert_allclose(found.numpy(), wanted.numpy(), rtol=1e-6)
    np.testing.assert_allclose(
        part.grad.numpy(), whole.grad.numpy()[:, first : first + 2], rtol=1e-6, atol=1e-7
    )
    dist.destroy_process_group()


def count_of_states(states):
    return sum(k.endswith("_velocity_0") for k in states)


count = int(sys.argv[1])
model, shared, _ = train(mp_degree=2)
assert type(model).__name__ == "TensorParallel"
assert list(shared.up.weight.shape) == [WIDTH, HIDDEN // 2]
with get_rng_state_tracker().rng_state():
    mine = paddle.rand([2])
train(lambda: Shared(in_sequence=True), mp_degree=2)
if count > 2:  # which runs less often
    masked_logits()
model, shared, states = train(Whole, sharding_degree=2)
assert type(model).__name__ == "ShardingParallel"
assert 0 < count_of_states(states) < len(shared.parameters()), states.keys()
model, net = pipeline(2, parts=4, **({} if count == 2 else {"dp_degree": 2}))
assert type(model).__name__ == "PipelineParallel"
assert 0 < len(net.run_function) < 6
if count == 2:
    model, _, _ = train(Whole, dp_degree=2)
    assert type(model).__name__ == "DataParallel"
else:
    pipeline(4, parts=8)
    model, shared, states = train(mp_degree=2, sharding_degree=2, dp_degree=1)
    assert 0 < count_of_states(states) < len(shared.parameters())
print(f"rank {dist.get_rank()} of {count} is done")
