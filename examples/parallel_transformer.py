"""Train a small transformer on 8 devices in five ways, and on one: the losses are the same.

The model is written once. The ways differ in the placement of its parameters, its activations and
the optimizer's state:

- data: each device has a part of the batch, and all parameters;
- ZeRO-3: the same, but each device keeps an eighth of parameters, gradients and state;
- tensor: each device has a part of every matrix: columns of the first of two, rows of the second;
- sequence: between the matrices, where positions are independent, each device has some of them;
- all of them together, on a mesh of 2 by 4.

    python examples/parallel_transformer.py

A CPU is split into 8 devices for it. For each way two lines show the difference of the losses from
those of one device, op by op and with each step as one XLA program; the size of parameters,
gradients and the optimizer's state on a device; and the messages that the program sends.
"""

import argparse

import jax

import jaxeager as paddle
from jaxeager import distributed as dist
from jaxeager import nn
from jaxeager.distributed.mesh.collective_counts import counted
from jaxeager.distributed.mesh.compiled_steps import CompiledStep
from jaxeager.distributed.mesh.sharded_optimizers import bytes_per_device
from jaxeager.distributed.mesh.sharded_tensors import place
from jaxeager.nn import functional as F

WORDS, WIDTH, HEADS, LAYERS, LENGTH, BATCH = 128, 64, 4, 2, 32, 16
SHARD, WHOLE = dist.Shard, dist.Replicate()


class Way:
    """The placement of the model on a mesh of two axes, dp (the batch) and mp (the matrices).

    Args:
        dp, mp: the number of devices along each.
        is_sequence: whether positions are divided between the matrices.
        stage: the stage of ZeRO along dp, 0 for none.
    """

    def __init__(self, dp, mp, is_sequence=False, stage=0):
        self.is_sequence, self.stage = is_sequence, stage
        ids = paddle.arange(dp * mp).reshape([dp, mp]).tolist()
        self.mesh = dist.ProcessMesh(ids, dim_names=["dp", "mp"])

    def batch(self, x):
        """Return a batch placed on the mesh."""
        return dist.shard_tensor(x, self.mesh, [SHARD(0), WHOLE])

    def by_position(self, x):
        """Return activations [batch, length, width] placed as between the matrices."""
        return dist.reshard(x, self.mesh, [SHARD(0), SHARD(1) if self.is_sequence else WHOLE])

    def whole(self, x):
        """Return activations with all positions, as a matrix takes them."""
        return dist.reshard(x, self.mesh, [SHARD(0), WHOLE])

    def place(self, model):
        """Place the parameters of a model."""
        for name, param in model.named_parameters():
            kind = name.split(".")[-2]
            placements = [WHOLE, WHOLE]
            if kind in ("query", "key", "value", "up", "head"):  # columns, and their biases
                placements = [WHOLE, SHARD(param.ndim - 1)]
            elif kind in ("out", "down") and param.ndim == 2:  # rows
                placements = [WHOLE, SHARD(0)]
            place(param, self.mesh, placements)


class OneDevice:
    """The same interface, for a model on one device."""

    def batch(self, x):
        return x

    by_position = whole = batch


class Block(nn.Layer):
    """Causal attention and a feed-forward part, each after a norm."""

    def __init__(self, way):
        super().__init__()
        self.way = way
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.query, self.key = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)
        self.value, self.out = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def heads(self, x):
        return x.reshape([0, LENGTH, HEADS, WIDTH // HEADS]).transpose([0, 2, 1, 3])

    def attention(self, x):
        query, key, value = (self.heads(f(x)) for f in (self.query, self.key, self.value))
        scores = query @ key.transpose([0, 1, 3, 2]) / (WIDTH // HEADS) ** 0.5
        hidden = paddle.triu(paddle.full([LENGTH, LENGTH], -1e9), 1)
        mixed = F.softmax(scores + hidden) @ value
        return self.out(mixed.transpose([0, 2, 1, 3]).reshape([0, LENGTH, WIDTH]))

    def forward(self, x):
        way = self.way
        x = x + way.by_position(self.attention(way.whole(self.norm1(x))))
        return x + way.by_position(self.down(F.gelu(self.up(way.whole(self.norm2(x))))))


class Transformer(nn.Layer):
    """Predicts the word after each word."""

    def __init__(self, way):
        super().__init__()
        self.way = way
        self.words = nn.Embedding(WORDS, WIDTH)
        self.blocks = nn.Sequential(*[Block(way) for _ in range(LAYERS)])
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WORDS)

    def forward(self, words, targets):
        """Take words and the words that follow them, int[batch, length]; return the loss."""
        x = self.blocks(self.way.by_position(self.words(words)))
        scores = self.head(self.way.whole(self.norm(x)))
        return F.cross_entropy(scores, targets.unsqueeze(-1)).mean()


def made(way):
    """Return a model and its optimizer, the same numbers for each way."""
    paddle.seed(1)
    model = Transformer(way)
    adam = paddle.optimizer.AdamW(1e-3, parameters=model.parameters())
    if isinstance(way, Way):
        way.place(model)
        stages = (None, dist.ShardingStage1, dist.ShardingStage2, dist.ShardingStage3)
        if way.stage:
            dist.shard_optimizer(adam, stages[way.stage]("dp"))
    return model, adam


def batches(steps):
    """Yield words that count up from a random one, and the words that follow."""
    paddle.seed(2)
    for _ in range(steps):
        first = paddle.randint(0, WORDS, [BATCH, 1])
        words = (first + paddle.arange(LENGTH + 1)) % WORDS
        yield words[:, :-1], words[:, 1:]


def train(way, steps):
    """Train op by op; return the losses, and bytes of parameters, gradients and state."""
    model, adam = made(way)
    losses, grads = [], 0
    for words, targets in batches(steps):
        loss = model(way.batch(words), way.batch(targets))
        loss.backward()
        grads = bytes_per_device([param.grad for param in model.parameters()])
        adam.step()
        adam.clear_grad(set_to_zero=False)
        losses.append(float(loss))
    state = [each for each in adam.state_dict().values() if isinstance(each, paddle.Tensor)]
    return losses, [bytes_per_device(model.parameters()), grads, bytes_per_device(state)]


def train_compiled(way, steps):
    """Train with each step as one XLA program; return the losses, and that program."""
    model, adam = made(way)

    def forward_and_backward(words, targets):
        loss = model(words, targets)
        loss.backward()
        return loss

    step = CompiledStep(forward_and_backward, model.parameters(), adam)
    losses = []
    for words, targets in batches(steps):
        batch = way.batch(words), way.batch(targets)
        losses.append(float(step(*batch)))
    return losses, step.compiled(*batch)


WAYS = {
    "data 8": lambda: Way(8, 1),
    "ZeRO-3 8": lambda: Way(8, 1, stage=3),
    "tensor 4": lambda: Way(1, 4),
    "tensor and sequence 4": lambda: Way(1, 4, is_sequence=True),
    "data 2, tensor and sequence 4, ZeRO-3": lambda: Way(2, 4, is_sequence=True, stage=3),
}


def main(argv=None):
    """Train in each way, print the table, and return {way: (difference, share, messages)}."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--ways", nargs="*", default=list(WAYS), choices=list(WAYS))
    options = parser.parse_args(argv)
    wanted, whole = train(OneDevice(), options.steps)
    print(f"one device: losses {wanted[0]:.4f} to {wanted[-1]:.4f}, {sum(whole):,} bytes")
    found = {}
    for name in options.ways:
        way = WAYS[name]
        losses, sizes = train(way(), options.steps)
        compiled_losses, program = train_compiled(way(), options.steps)
        both = zip(losses + compiled_losses, wanted * 2, strict=True)
        off = max(abs(a - b) for a, b in both)
        share = sum(sizes) / sum(whole)
        print(f"{name}: losses off by {off:.1e}, {sum(sizes):,} bytes a device ({share:.1%})")
        print(f"    one program: {counted(program)}")
        found[name] = off, share, counted(program)
    return found


if __name__ == "__main__":
    jax.config.update("jax_num_cpu_devices", 8)
    main()
