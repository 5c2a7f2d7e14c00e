"""Train a network on handwritten digits in several processes, as one process would.

Each process has its own part of every batch; DataParallel averages the gradients. With --check the
first process also trains the same network on the whole batches, and compares the two.

    cd examples
    python -m jaxeager.distributed.launch --nproc_per_node 2 data_parallel_digits.py --check

Without the launcher it is one process with the whole batch. The code is Paddle's: with ``import
paddle`` instead of the import below, Paddle runs it.
"""

import argparse
import sys

import numpy as np
from sklearn.datasets import load_digits

import jaxeager as paddle
import jaxeager.distributed as dist

BATCH = 96
ACCURACY_WANTED = 0.95


class Digits(paddle.io.Dataset):
    """scikit-learn's digits of 8x8 pixels, every fifth of which is held out."""

    def __init__(self, held_out):
        digits = load_digits()
        chosen = np.flatnonzero((np.arange(len(digits.target)) % 5 == 0) == held_out)
        # Whole batches: a sampler fills the last one, with other digits for other ranks.
        chosen = chosen if held_out else chosen[: len(chosen) // BATCH * BATCH]
        self.images = (digits.images[chosen] / 16.0).astype("float32").reshape(-1, 64)
        self.labels = digits.target[chosen].astype("int64")

    def __getitem__(self, index):
        return self.images[index], self.labels[index]

    def __len__(self):
        return len(self.labels)


def network():
    """Return a network of three layers: float[n, 64] to logits float[n, 10]."""
    return paddle.nn.Sequential(
        paddle.nn.Linear(64, 64), paddle.nn.GELU(),
        paddle.nn.Linear(64, 64), paddle.nn.GELU(), paddle.nn.Linear(64, 10),
    )  # fmt: skip


def train(model, epochs, replicas, rank):
    """Train a model on this replica's part of each batch; return the loss of each epoch."""
    data = Digits(held_out=False)
    sampler = paddle.io.DistributedBatchSampler(
        data, BATCH // replicas, num_replicas=replicas, rank=rank, shuffle=True, drop_last=True
    )
    loader = paddle.io.DataLoader(data, batch_sampler=sampler)
    adam = paddle.optimizer.Adam(3e-3, parameters=model.parameters())
    losses = []
    for epoch in range(epochs):
        sampler.set_epoch(epoch)  # another order, the same on all ranks
        total = paddle.zeros([])
        for images, labels in loader:
            loss = paddle.nn.functional.cross_entropy(model(images), labels)
            loss.backward()
            adam.step()
            adam.clear_grad()
            total += loss.detach()
        losses.append(total / len(loader))
    return losses


def main():
    """Run it all; return the exit code."""
    parser = argparse.ArgumentParser(description="Trains on digits in several processes.")
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--check", action="store_true", help="compare with one process")
    options = parser.parse_args()
    dist.init_parallel_env()
    rank, count = dist.get_rank(), dist.get_world_size()
    paddle.seed(0)
    net = network()
    losses = train(paddle.DataParallel(net), options.epochs, count, rank)
    mean = paddle.stack(losses)
    if count > 1:
        dist.all_reduce(mean)  # each process has seen other digits
        mean /= count
    held_out = Digits(held_out=True)
    guesses = net(paddle.to_tensor(held_out.images)).argmax(axis=1)
    accuracy = float((guesses == paddle.to_tensor(held_out.labels)).astype("float32").mean())
    if rank == 0:
        print(f"{count} processes, loss of each epoch", [round(each, 4) for each in mean.tolist()])
        print(f"accuracy {100 * accuracy:.1f} % on the digits held out")
    is_right = accuracy >= ACCURACY_WANTED
    if options.check and rank == 0:
        paddle.seed(0)
        alone = network()
        train(alone, options.epochs, 1, 0)
        pairs = zip(net.parameters(), alone.parameters(), strict=True)
        apart = max(float((a - b).abs().max()) for a, b in pairs)
        print(f"parameters differ from those of one process by {apart:.1e}")
        is_right = is_right and apart < 1e-3
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
