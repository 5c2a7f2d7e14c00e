"""Prints, as JSON, how calls of public functions name what they make, on one of the libraries.

    python named_calls.py LIBRARY

Every statement of ``CALLS`` runs with FLAGS_enable_unique_name on and counters at their start. Real
Paddle's cannot be set back, so there each runs in a forked child.
"""

import importlib
import json
import os
import sys
from types import SimpleNamespace

SETUP = """
import numpy as np
F = paddle.nn.functional
q = paddle.ones([2]); q.stop_gradient = False
n = paddle.to_tensor([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]], stop_gradient=False)
w = paddle.to_tensor([[2.0, 1.0], [1.0, 3.0]], stop_gradient=False)
i = paddle.to_tensor([0, 1])
image = paddle.ones([1, 2, 4, 4])
b = n * 2
rnn, lstm, gru = (getattr(paddle.nn, f"{kind}Cell")(3, 2) for kind in ("SimpleRNN", "LSTM", "GRU"))
"""

CALLS = """
paddle.ones([2])
paddle.zeros([2], "int64")
paddle.full([], True, "bool")
paddle.full([0, 3], 1.0)
paddle.empty([2])
paddle.empty_like(q)
paddle.zeros_like(q)
paddle.full_like(q, 2)
q.new_zeros([2])
paddle.arange(5)
paddle.arange(0, 1, 0.5)
paddle.range(1, 7, 2)
paddle.linspace(0, 1, 3)
paddle.logspace(0, 1, 3)
paddle.eye(2)
paddle.tril_indices(2, 2, 0)
paddle.rand([2])
paddle.randn([2])
paddle.uniform([2])
paddle.normal(0.0, 1.0, [2])
paddle.randint(0, 3, [2])
paddle.randperm(3)
paddle.bernoulli(q.detach())
paddle.poisson(q.detach())
paddle.multinomial(q.detach(), 1)
paddle.to_tensor([1.0])
nodes_behind(rnn(n)[0])
nodes_behind(lstm(n)[0])
nodes_behind(gru(n)[0])
n + 1
1 - n
n * 2
-n
n / 2
2 / n
n ** 2
n ** n
2 ** n
n % 2
n // 2
n > 0
n != 1
i > 0.5
i + 1.5
n @ n.T
n[0]
n[0, 1]
n[:, 1:]
n[..., 0]
n[None]
n[::2]
n[i]
n[n > 0]
n.astype("float64")
n.astype("bfloat16")
n.astype("float32")
n.clone()
n.sum()
n.mean(axis=0)
n.max()
n.argmax()
n.cumsum(0)
n.prod()
n.norm()
n.reshape([3, 2])
n.transpose([1, 0])
n.flatten()
n.unsqueeze(0)
n.squeeze()
n.tile([2, 1])
n.expand([2, 2, 3])
n.flip(0)
n.clip(0, 1)
n.gather(i)
paddle.split(n, 3, axis=1)
paddle.split(n, [1, 2], axis=1)
paddle.unbind(n)
paddle.unstack(n)
paddle.concat([n, n])
paddle.stack([n, n])
paddle.add_n([n, n])
paddle.meshgrid(q, q)
paddle.broadcast_tensors([q, w])
paddle.where(n > 0, n, n)
paddle.topk(n, 2)
paddle.sort(n)
paddle.argsort(n)
paddle.kthvalue(n, 1)
paddle.mode(n)
paddle.cummax(n, 0)
paddle.unique(i)
paddle.unique(i, return_index=True, return_inverse=True, return_counts=True)
paddle.unique(i, return_inverse=True)
paddle.unique_consecutive(i, return_inverse=True, return_counts=True)
paddle.nonzero(n)
paddle.einsum("ij,kj->ik", n, n)
paddle.linalg.svd(n)
paddle.linalg.qr(n)
paddle.linalg.eigh(w)
paddle.linalg.eig(w.detach())
paddle.linalg.eigvalsh(w)
paddle.linalg.svdvals(n)
paddle.linalg.det(w)
paddle.linalg.inv(w)
paddle.linalg.cholesky(w)
paddle.linalg.solve(w, q)
paddle.linalg.lu(w, get_infos=True)
paddle.outer(q, q)
paddle.dot(q, q)
paddle.isnan(n)
paddle.allclose(n, n)
paddle.complex(q, q)
F.linear(n, n.T, q)
F.relu(n)
F.gelu(n)
F.softmax(n)
F.log_softmax(n)
F.dropout(n, 0.5)
F.layer_norm(n, [3])
F.batch_norm(n, paddle.zeros([3]), paddle.ones([3]), training=True)
F.group_norm(image, 2)
F.embedding(i, n)
F.one_hot(i, 2)
F.conv2d(image, paddle.ones([1, 2, 3, 3]), paddle.ones([1]))
F.max_pool2d(image, 2)
F.max_pool2d(image, 2, return_mask=True)
F.avg_pool2d(image, 2)
F.interpolate(image, scale_factor=2)
F.pad(n, [1, 1])
F.affine_grid(paddle.ones([1, 2, 3]), [1, 1, 2, 2])
F.mse_loss(n, n)
F.l1_loss(n, n)
F.smooth_l1_loss(n, n)
F.nll_loss(n, i)
F.binary_cross_entropy(F.sigmoid(n), n)
F.kl_div(n, n)
F.cross_entropy(n, i)
n.var()
n.std()
paddle.quantile(n, 0.5)
paddle.linalg.pinv(w)
b.add_(n)
b.scale_(2.0)
F.relu_(b)
b.exp_()
b.zero_()
b.fill_(1.0)
b.clip_(0, 1)
b.reshape_([3, 2])
b.unsqueeze_(0)
q.detach().uniform_()
q.detach().normal_()
[b.__setitem__(0, 1.0), b][1]
[b.__setitem__((slice(None), i), 1.0), b][1]
[b.__setitem__(b > 0, 0.0), b][1]
paddle.nn.Linear(2, 2)(q)
paddle.nn.Conv2D(2, 1, 3)(image)
paddle.nn.BatchNorm2D(2)(image)
paddle.nn.LayerNorm(3)(n)
paddle.nn.Embedding(2, 2)(i)
paddle.nn.LSTM(3, 2)(n.unsqueeze(0))
paddle.nn.MultiHeadAttention(2, 1)(w.unsqueeze(0))
paddle.grad(q.exp().sum(), q)
paddle.grad(q.exp().sum(), q, create_graph=True)
paddle.grad((w @ w).sum(), w, create_graph=True)
paddle.grad((w * n[:, :2].detach()).sum(), w, create_graph=True)
paddle.grad(w.astype("float64").exp().sum(), w, create_graph=True)
paddle.grad(w.divide(w.detach()).sum(), w, create_graph=True)
paddle.grad((w + w.detach()).sum(), w, create_graph=True)
paddle.grad((w * 3).sum(), w, create_graph=True)
paddle.grad(paddle.grad(q.tanh().sum(), q, create_graph=True)[0].sum(), q)
[(q * q).sum().backward(), q.grad][1]
[x := n.exp(), paddle.grad((x * 2).sum(), x)][1]
"""


def nodes_behind(tensor):
    """Returns the nodes a tensor was made by, the last first, as things with a name."""
    nodes = [tensor.grad_fn]
    for node in nodes:
        behind = [each for each in node.next_functions if each is not None]
        nodes += [each for each in behind if each not in nodes]
    return [SimpleNamespace(name=node.name(), stop_gradient=True) for node in nodes]


def names_of(made):
    """Returns names, and node names, of the tensors in what a call made."""
    if isinstance(made, (list, tuple)):
        return [name for each in made for name in names_of(each)]
    if made is None:
        return [None]
    node = None if made.stop_gradient or made.is_leaf else made.grad_fn.name()
    return [made.name if node is None else f"{made.name} {node}"]


def run(paddle, statement):
    """Runs one call; returns its names and what the next ``full`` and ``cast`` are called."""
    scope = {"paddle": paddle, "nodes_behind": nodes_behind}
    exec(SETUP, scope)
    paddle.set_flags({"FLAGS_enable_unique_name": True})
    try:
        found = names_of(eval(statement, scope))
        after = [paddle.full([1], 1.0), paddle.zeros([1], "int32").astype("int64")]
        return [*found, "then", *(tensor.name for tensor in after)]
    except Exception as error:
        return [type(error).__name__]
    finally:
        paddle.set_flags({"FLAGS_enable_unique_name": False})


def run_forked(paddle, statement):
    """Runs one call in a child process."""
    reads, writes = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writes, json.dumps(run(paddle, statement)).encode())
        os._exit(0)
    os.close(writes)
    with os.fdopen(reads) as answer:
        text = answer.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else ["died"]


def main(library):
    """Runs every call."""
    paddle = importlib.import_module(library)
    found = {}
    for statement in CALLS.split("\n")[1:-1]:
        if library == "jaxeager":
            importlib.import_module("own_counters").reset()
        found[statement] = (run_forked if library == "paddle" else run)(paddle, statement)
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1])
