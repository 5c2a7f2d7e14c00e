"""from_jax: a pure JAX function as an op on Tensors.

Note [JAX ops]
    A call of such an op is one GradNode, like that of a row. Its counterpart of a row is a JaxOp:
    the function, with the nesting of the call's arguments and the static ones. It keeps the jitted
    forward and, per set of wanted and given gradients, the jitted VJP, so a second call traces
    nothing. Under ``create_graph`` the VJP is itself a function on arrays that is called through
    ``from_jax``; this provides every order of derivatives.
"""

import functools
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

from jaxeager.errors import InvalidTypeError
from jaxeager.graph import events
from jaxeager.graph.meta import AutogradMeta
from jaxeager.graph.mode import grad_mode
from jaxeager.graph.node import GradNode
from jaxeager.graph.saved import kind_of, recover, save
from jaxeager.kernels.memory_bound import jitted
from jaxeager.ops.call import dispatch
from jaxeager.ops.call.creation_events import call_with_events, kernel_done
from jaxeager.ops.call.kernels import filled
from jaxeager.ops.row import Operand
from jaxeager.ops.rules.wide_sums import adds_in_float32


def from_jax(
    fn: Callable | None = None, *, name: str | None = None, recompute: bool = True
) -> Callable:
    """Return a function on Tensors that computes the same as a pure JAX function on arrays.

    It accepts Tensors where the function accepts arrays, also in lists, tuples and dicts, and
    returns Tensors where the function returns arrays. jax and NumPy arrays are constants. All other
    arguments (numbers, strings, None) are static: the function sees them unchanged, and is compiled
    for each value. A call is one node of the graph, ``GradNodeJax_<name>``. Gradients go to
    floating and complex Tensors, in Paddle's convention for complex ones, and can be differentiated
    again to any order.

    Can be used as a decorator.

    Args:
        fn: a pure function of arrays, such as one of ``jax.numpy``.
        name: the name of the node; the function's own name by default.
        recompute: compute forward again in backward, from the inputs. With False, the values that
            backward needs are kept from forward: faster, with more memory.

    Returns:
        The function on Tensors.

    Raises:
        InvalidTypeError: for a value that is not a function; from a call, for a static argument
            that has no hash.

    Example:
        >>> import jax.numpy as jnp
        >>> import jaxeager as paddle
        >>> @paddle.autograd.from_jax
        ... def softplus(x, beta=1.0):
        ...     return jnp.logaddexp(x * beta, 0.0) / beta
        >>> x = paddle.to_tensor([0.0], stop_gradient=False)
        >>> y = softplus(x, beta=2.0)
        >>> y.grad_fn.name()
        'GradNodeJax_softplus'
        >>> y.backward()
        >>> x.grad.tolist()
        [0.5]
    """
    if fn is None:
        return functools.partial(from_jax, name=name, recompute=recompute)
    if not callable(fn):
        raise InvalidTypeError(f"from_jax takes a function, but got {type(fn).__name__}.")
    text = name or getattr(fn, "__name__", type(fn).__name__)
    ops: dict = {}

    @functools.wraps(fn)
    def on_tensors(*args, **kwargs):
        return _call(ops, fn, text, recompute, args, kwargs)

    return on_tensors


# ---- a call


def _is_tensor(value) -> bool:
    return isinstance(value, dispatch.Tensor)


def _call(ops: dict, fn: Callable, name: str, recompute: bool, args: tuple, kwargs: dict):
    """Call a function on Tensors; ``ops`` keeps its JaxOps by the nesting of arguments."""
    leaves, structure = jax.tree.flatten((args, kwargs), is_leaf=_is_tensor)
    values = [leaf for leaf in leaves if _is_array(leaf)]
    fixed = tuple([None if _is_array(leaf) else _Static(leaf, name) for leaf in leaves])
    op = ops.get((structure, fixed))
    if op is None:
        op = ops[structure, fixed] = JaxOp(fn, name, structure, fixed, recompute)
    if grad_mode.capture is not None:
        grad_mode.capture.see(values)
    edges = [None] * len(values)
    if grad_mode.enabled:
        edges = [_edge_of(value) for value in values]
    arrays = [value._array if _is_tensor(value) else jnp.asarray(value) for value in values]
    run = functools.partial(_run, op, values, arrays, edges)
    if not events.has_ops or grad_mode.silent:
        return run(None)
    return call_with_events(name, values, op.grad_name if any(edges) else "", run)


def _run(op: "JaxOp", values: list, arrays: list, edges: list, seen: events.Call | None):
    """Run the function on arrays, record it, and return its results as Tensors."""
    mask = tuple([edge is not None for edge in edges])
    is_recorded, residuals = any(mask), None
    if not is_recorded or op.recompute or grad_mode.saved_hooks is not None:
        found = op.forward(*arrays)
    else:
        found, residuals = op.forward_for(mask)(*arrays)
    outs, structure = jax.tree.flatten(found)
    if seen is not None:
        kernel_done(seen, outs)
    tensors = [dispatch.wrap(array) for array in outs]
    node = _record(op, values, arrays, edges, mask, outs, residuals) if is_recorded else None
    if node is not None:
        for position, tensor in enumerate(tensors):
            if _is_inexact(tensor._array):
                dispatch.attach(tensor, node, position, 0)
    if seen is not None:
        seen.node, seen.outputs = node, tuple(tensors)
    return jax.tree.unflatten(structure, tensors)


def _is_array(value) -> bool:
    return isinstance(value, (dispatch.Tensor, jax.Array, np.ndarray, np.generic))


def _is_inexact(array) -> bool:
    return jnp.issubdtype(array.dtype, jnp.inexact)


def _edge_of(value):
    """Return the edge of an argument's gradient; None for integers, which have none."""
    return dispatch.edge_of(value) if _is_tensor(value) and _is_inexact(value._array) else None


class _Static:
    """A static argument in a key, where 1, 1.0 and True are different, and so are 0.0 and -0.0."""

    __slots__ = ("key", "value")

    def __init__(self, value, name: str):
        self.value = value
        self.key = (type(value), repr(value) if isinstance(value, (float, complex)) else value)
        try:
            hash(self.key)
        except TypeError:
            raise InvalidTypeError(
                f"{name}(): an argument of type {type(value).__name__} is not an array, so it "
                "is static and must be hashable. Make it a Tensor, an array or a tuple."
            ) from None

    def __eq__(self, other) -> bool:
        return isinstance(other, _Static) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


def _record(op: "JaxOp", values, arrays, edges, mask, outs, residuals) -> GradNode:
    """Make the GradNode of a call."""
    node = GradNode()
    node.op = op
    node.scalars = () if residuals is None else (residuals,)
    node.edges = tuple(edges)
    node.mask = mask
    node.saved = tuple(
        [
            save(array, getattr(value, "_storage", None))
            for array, value in zip(arrays, values, strict=True)
        ]
    )
    node.width = len(outs)
    node.out_avals = tuple([array.aval for array in outs])
    dispatch.show_node(node)
    return node


# ---- the counterpart of a row


class JaxOp:
    """A JAX function with the nesting of its arguments: see Note [JAX ops].

    Attributes:
        name: the function's name.
        grad_name: the name of its nodes.
        operands: an Operand per array, as a row has.
        forward: the jitted function of the flat arrays.
    """

    returns_list = False

    def __init__(self, fn: Callable, name: str, structure, fixed: tuple, recompute: bool):
        self.name = name
        self.grad_name = f"GradNodeJax_{name}"
        names = [f"x{place}" for place in range(sum(each is None for each in fixed))]
        self.operands = tuple([Operand(n, i, False, False, True) for i, n in enumerate(names)])
        self.differentiable = self.operands
        self.recompute = recompute
        self._kernels: dict = {}

        def flat(*arrays):
            given = iter(arrays)
            leaves = [next(given) if s is None else s.value for s in fixed]
            args, kwargs = jax.tree.unflatten(structure, leaves)
            return fn(*args, **kwargs)

        flat.__name__ = flat.__qualname__ = name
        self._flat = flat
        self.forward = jitted(flat)

    def forward_for(self, mask: tuple) -> Callable:
        """Return the jitted forward that also returns the residuals of the VJP for a mask."""
        kernel = self._kernels.get(mask)
        if kernel is None:

            def forward(*arrays):
                of_wanted, wanted = self._of_wanted(mask, arrays)

                def floating(*wanted):
                    found = of_wanted(*wanted)
                    return [out for out in jax.tree.leaves(found) if _is_inexact(out)], found

                _, pull, found = jax.vjp(floating, *wanted, has_aux=True)
                return found, pull

            kernel = self._kernels[mask] = jitted(forward)
        return kernel

    def _of_wanted(self, mask: tuple, arrays) -> tuple[Callable, list]:
        """Return the function of the wanted arrays alone, and these arrays."""

        def of_wanted(*wanted):
            values = iter(wanted)
            pairs = zip(arrays, mask, strict=True)
            return self._flat(*[next(values) if is_wanted else a for a, is_wanted in pairs])

        return of_wanted, [a for a, is_wanted in zip(arrays, mask, strict=True) if is_wanted]

    # ---- backward

    def run_vjp(self, node: GradNode, grads: list) -> tuple:
        """Return the gradient of each input, arrays; None where none is needed.

        Raises:
            PermissionDeniedError: when an input was written in place since forward.
        """
        arrays = [recover(wrapper, node) for wrapper in node.saved]
        if node.scalars:
            pairs = zip(grads, node.out_avals, strict=True)
            full = [filled(a, 0) if g is None else g for g, a in pairs if _is_inexact(a)]
            return _laid_out(_pull_back(node.scalars[0], full), node.mask)
        given = tuple([grad is not None for grad in grads])
        kernel = self._kernels.get((node.mask, given))
        if kernel is None:
            kernel = self._kernels[node.mask, given] = jitted(self.vjp_rule(node.mask, given))
        return _laid_out(kernel(arrays, [g for g in grads if g is not None]), node.mask)

    def record_vjp(self, node: GradNode, grads: list) -> tuple:
        """Do the work of ``run_vjp`` on Tensors, as a call of another JAX op.

        Raises:
            PermissionDeniedError: when an input was written in place since forward.
        """
        saved = []
        for wrapper, edge in zip(node.saved, node.edges, strict=True):
            tensor = dispatch.wrap(recover(wrapper, node))
            if edge is not None:
                tensor._meta = AutogradMeta(False, edge.node, edge.slot, edge.rank)
            saved.append(tensor)
        given = tuple([grad is not None for grad in grads])
        key = ("op", node.mask, given)
        function = self._kernels.get(key)
        if function is None:
            rule = self.vjp_rule(node.mask, given)
            function = from_jax(rule, name=f"{self.name}_grad", recompute=self.recompute)
            self._kernels[key] = function
        made = function(saved, [grad for grad in grads if grad is not None])
        if events.vjp_ran is not None and made:
            events.vjp_ran(node, made, None if made[0]._meta is None else made[0]._meta.node)
        return _laid_out(made, node.mask)

    def vjp_rule(self, mask: tuple, given: tuple) -> Callable:
        """Return the function from (inputs, given gradients) to the wanted gradients."""

        def vjp(arrays, arrived):
            of_wanted, wanted = self._of_wanted(mask, arrays)
            _, pull = jax.vjp(lambda *w: _given_outs(of_wanted(*w), given), *wanted)
            return [jnp.conj(grad) for grad in pull([jnp.conj(grad) for grad in arrived])]

        return adds_in_float32(vjp)

    def input_avals(self, node: GradNode) -> list:
        """Return (shape, dtype) of each input of a node; None once it was released."""
        return [kind_of(wrapper) for wrapper in node.saved] or [None] * len(node.edges)


@jitted
@adds_in_float32
def _pull_back(pull, grads: list) -> list:
    """Return the results of a VJP of ``jax.vjp``, in Paddle's complex convention."""
    return [jnp.conj(grad) for grad in pull([jnp.conj(grad) for grad in grads])]


def _given_outs(found, given: tuple) -> list:
    """Return the outputs that have a gradient."""
    return [out for out, is_given in zip(jax.tree.leaves(found), given, strict=True) if is_given]


def _laid_out(found, mask: tuple) -> tuple[jax.Array | None, ...]:
    """Return the wanted gradients in the order of the edges, with None in between."""
    grads = iter(found)
    return tuple([next(grads) if is_wanted else None for is_wanted in mask])
