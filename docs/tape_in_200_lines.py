"""The engine of jaxeager, built again from nothing in some 200 lines.

Run it (``python docs/tape_in_200_lines.py``), or step through it in a debugger. Each part begins
with what the parts before it cannot do. The library has the same parts, under the same names, in
``jaxeager/graph`` and ``jaxeager/ops``; ``docs/how-it-works.md`` says where.
"""

import collections
import functools

import jax
import jax.numpy as jnp

# ---- 1. A tensor is an array and what the tape knows about it
#
# A jax.Array is immutable and does not know the computation that made it. So we wrap it. A tensor
# that the user makes has no node. `stop_gradient` means "needs no gradient" in Paddle, the deep
# learning framework whose API the library has.


class Tensor:
    def __init__(self, array, stop_gradient=True, edge=None):
        self.array = jnp.asarray(array)
        self.stop_gradient = stop_gradient
        self.edge = edge  # where its gradient goes; None until it is first needed (part 3)
        self.grad = None
        self.version = 0  # how often it was written to (part 6)

    def __repr__(self):
        return f"Tensor({self.array}, stop_gradient={self.stop_gradient})"

    def __add__(self, other):
        return call(ADD, self, other)

    def __mul__(self, other):
        return call(MULTIPLY, self, other)

    def __matmul__(self, other):
        return call(MATMUL, self, other)


# ---- 2. An op is a pure function, compiled once per shape
#
# Calling jnp.tanh on the array would work, but then nothing knows how to go back. An Op names the
# function, compiles it (a *kernel*), and can produce the kernel of its derivative. jax.vjp derives
# that kernel from the forward function. (In the library most are written by hand, and tests compare
# them with this one.) The kernel is called a VJP, a vector-Jacobian product: it takes the operands
# and the gradients of the outputs, and returns the gradients of the wanted operands. The choice of
# wanted operands is fixed when the kernel is compiled, so nothing else is computed.


class Op:
    def __init__(self, name, forward):
        self.name, self.forward = name, forward
        self.kernel = jax.jit(forward)

    @functools.cache  # noqa: B019 - ops live as long as the program
    def derivative(self, wanted):
        """Return the op that computes the gradients of the wanted operands."""

        def vjp(*operands_and_grads):
            operands, grads = operands_and_grads[: len(wanted)], operands_and_grads[len(wanted) :]

            def of_wanted(*chosen):
                given = iter(chosen)
                return self.forward(
                    *[next(given) if w else x for w, x in zip(wanted, operands, strict=True)]
                )

            chosen = [x for w, x in zip(wanted, operands, strict=True) if w]
            out, pull_back = jax.vjp(of_wanted, *chosen)
            return pull_back(grads if isinstance(out, tuple) else grads[0])

        return Op(f"{self.name}_grad", vjp)


ADD = Op("add", jnp.add)
MULTIPLY = Op("multiply", jnp.multiply)
MATMUL = Op("matmul", jnp.matmul)
TANH = Op("tanh", jnp.tanh)
SUM = Op("sum", jnp.sum)


# ---- 3. A node remembers one call, and edges say where its gradients go
#
# Backward has to get from the output back to the operands. A GradNode keeps the op and, for
# each operand, an Edge to the node that made it. An edge has a slot: an op with several outputs
# gets a gradient for each, and the slot says for which. A leaf (a tensor of the user's that
# needs a gradient) gets a GradNodeAccumulation, which adds the gradient to `tensor.grad`. So the
# engine has no special case for leaves.

Edge = collections.namedtuple("Edge", "node slot")


class GradNode:
    def __init__(self, op, edges, wanted, saved, outputs):
        self.op, self.edges, self.wanted = op, edges, wanted
        self.saved = saved  # None once released (part 7)
        self.outputs = outputs  # shape and dtype of each: a missing gradient is zeros
        self.hooks = []  # functions of the gradients on their way (part 8)

    def name(self):
        return "".join(word.capitalize() for word in self.op.name.split("_")) + "GradNode"

    def run(self, grads, retain_graph, create_graph):
        """Return a gradient for each edge: one call of the VJP kernel."""
        if self.saved is None:
            raise RuntimeError(f"{self.name()} was released: pass retain_graph=True before.")
        operands = [wrapper.recover(self) for wrapper in self.saved]
        if not retain_graph:
            self.saved = None
        grads = [
            Tensor(jnp.zeros(kind.shape, kind.dtype)) if grad is None else grad
            for grad, kind in zip(grads, self.outputs, strict=True)
        ]
        results = call(self.op.derivative(self.wanted), *operands, *grads, record=create_graph)
        results = iter(results if isinstance(results, tuple) else (results,))
        return [next(results) if wanted else None for wanted in self.wanted]


class GradNodeAccumulation:
    edges = ()
    outputs = (None,)

    def __init__(self, tensor):
        self.tensor, self.hooks = tensor, []

    def name(self):
        return "GradNodeAccumulation"

    def run(self, grads, retain_graph, create_graph):
        old = self.tensor.grad
        new = grads[0] if old is None else call(ADD, old, grads[0], record=create_graph)
        self.tensor.grad = new
        return []


def edge_of(tensor):
    """Return where a tensor's gradient goes, None when it wants none."""
    if tensor.stop_gradient:
        return None
    if tensor.edge is None:
        tensor.edge = Edge(GradNodeAccumulation(tensor), 0)
    return tensor.edge


# ---- 4. A call runs the kernel, and records a node where a gradient is wanted
#
# This is the whole dispatch. The kernel runs immediately: that is what "eager" means. If no operand
# needs a gradient, nothing is recorded, and nothing is kept alive.


def call(op, *tensors, record=True):
    """Run an op on tensors, and record it."""
    result = op.kernel(*[tensor.array for tensor in tensors])
    arrays = result if isinstance(result, tuple) else (result,)
    edges = [edge_of(tensor) if record else None for tensor in tensors]
    wanted = tuple(edge is not None for edge in edges)
    if not any(wanted):
        outs = tuple(Tensor(array) for array in arrays)
    else:
        saved = [TensorWrapper(tensor) for tensor in tensors]
        node = GradNode(op, edges, wanted, saved, [jax.typeof(array) for array in arrays])
        outs = tuple(Tensor(array, False, Edge(node, slot)) for slot, array in enumerate(arrays))
    return outs if isinstance(result, tuple) else outs[0]


# ---- 5. Backward: count, then drain
#
# The obvious way is to recurse from the loss to each operand. For y = x * x that visits x twice,
# and for a chain of 50 such products 2^50 times. A node should run once, after *all* gradients of
# its outputs have arrived. So count the edges that lead to each node, then keep a queue of the
# nodes whose gradients are complete. Nothing recurses, so a graph may be deeper than Python's
# stack.


def backward(loss, grad=None, retain_graph=False, create_graph=False):
    """Add d loss / d leaf to the `grad` of each leaf."""
    retain_graph = retain_graph or create_graph
    root = edge_of(loss)
    if root is None:
        raise RuntimeError("The loss has stop_gradient=True, so no gradient can be computed.")
    missing, seen, to_count = collections.Counter(), {root.node}, [root.node]
    for node in to_count:  # the list grows in the loop
        for edge in filter(None, node.edges):
            missing[edge.node] += 1
            if edge.node not in seen:
                seen.add(edge.node)
                to_count.append(edge.node)
    arrived = collections.defaultdict(dict)
    arrived[root.node][root.slot] = grad or Tensor(jnp.ones_like(loss.array))
    queue = collections.deque([root.node])
    while queue:
        node = queue.popleft()
        grads = [arrived[node].get(slot) for slot in range(len(node.outputs))]
        for hook in node.hooks:
            grads = hook(grads) or grads
        results = node.run(grads, retain_graph, create_graph)
        for edge, grad in zip(node.edges, results, strict=True):
            if edge is None:
                continue
            old = arrived[edge.node].get(edge.slot)
            total = grad if old is None else call(ADD, old, grad, record=create_graph)
            arrived[edge.node][edge.slot] = total
            missing[edge.node] -= 1
            if not missing[edge.node]:
                queue.append(edge.node)


# ---- 6. What is saved must still be what it was
#
# The node of tanh saves its operand. If the user then writes into that tensor, backward would use
# the new value, and the gradient would be silently wrong. So each write increments the tensor's
# version, and a TensorWrapper compares the version with the one it saved.


class TensorWrapper:
    def __init__(self, tensor):
        self.tensor, self.version = tensor, tensor.version

    def recover(self, node):
        if self.tensor.version != self.version:
            raise RuntimeError(
                f"{node.name()} saved a tensor of version {self.version}, which has version "
                f"{self.tensor.version} now: it was written to in place."
            )
        return self.tensor


def add_(tensor, other):
    """Write tensor + other into a tensor: the write is a call like others, and is recorded."""
    edge = edge_of(tensor)
    if edge is not None and isinstance(edge.node, GradNodeAccumulation):
        raise RuntimeError("A leaf that requires a gradient cannot be written to in place.")
    # The value before the write, as a Tensor to which nothing writes.
    before = Tensor(tensor.array, tensor.stop_gradient, tensor.edge)
    result = call(ADD, before, other)
    tensor.array, tensor.edge, tensor.stop_gradient = (
        result.array,
        result.edge,
        result.stop_gradient,
    )
    tensor.version += 1
    return tensor


# ---- 7. Memory: a node that has run frees what it saved
#
# `run` drops `saved` unless the graph is retained. Without that, the operands of every op of a step
# would live as long as the loss. For a second backward the first one needs `retain_graph=True`, and
# the error says so.

# ---- 8. Gradients of gradients need no further line
#
# `run` calls the derivative by `call`, like any other op. With `create_graph` the call is recorded:
# the gradient has a node itself (TanhGradGradNode, for the op tanh_grad), and a backward from it
# works, to any order. Hooks see the gradients that arrive at a node: part 5 calls them.


if __name__ == "__main__":
    x, w = Tensor(jnp.arange(6.0).reshape(2, 3)), Tensor(jnp.ones((3, 2)) / 4, stop_gradient=False)
    loss = call(SUM, call(TANH, x @ w) * call(TANH, x @ w))
    backward(loss)
    print("gradient by the tape:", w.grad.array.ravel())

    def plain(w):
        return jnp.sum(jnp.tanh(x.array @ w) * jnp.tanh(x.array @ w))

    print("gradient by jax.grad:", jax.grad(plain)(w.array).ravel())

    v = Tensor(jnp.array([0.5]), stop_gradient=False)
    y = v * v * v
    backward(y, create_graph=True)
    first, v.grad = v.grad, None
    backward(first)
    print("y = v^3 at 0.5: y' =", first.array, " y'' =", v.grad.array)
