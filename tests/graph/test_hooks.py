"""Hooks: texts of errors, hooks under paddle.grad and create_graph, failures in the middle."""

import gc

import jax
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, InvalidTypeError, PermissionDeniedError
from tests.support.leaves import leaf, lists_of


def differentiate(output, inputs, through):
    """Run the graph in one of the three ways that run hooks."""
    if through == "backward":
        output.backward()
    else:
        paddle.grad(output, inputs, create_graph=through == "create_graph")


# ---- errors


@pytest.mark.parametrize(
    ("answer", "error", "text"),
    [
        (
            lambda grad: 5,
            InvalidTypeError,
            r"A gradient hook must return a Tensor or None, but one on ScaleGradNode returned int",
        ),
        (
            lambda grad: np.ones([2], "float32"),
            InvalidTypeError,
            "on ScaleGradNode returned ndarray",
        ),
        (
            lambda grad: grad.astype("float64"),
            PermissionDeniedError,
            r"The dtype of tensor before\(float32\) and after\(float64\) hook are not consistent, "
            "on ScaleGradNode",
        ),
        (
            lambda grad: grad.sum(),
            InvalidArgumentError,
            r"The shape of tensor before\(\[2\]\) and after\(\[\]\) hook are not consistent, "
            "on ScaleGradNode",
        ),
    ],
)
@pytest.mark.parametrize("through", ["backward", "grad", "create_graph"])
def test_answers_a_gradient_hook_may_not_give(answer, error, text, through):
    x = leaf([1.0, 2.0])
    a = x * 2
    a.register_hook(answer)
    b = a * a
    with pytest.raises(error, match=text):
        differentiate(b, x, through)
    assert x.grad is None


def test_a_leafs_hook_is_named_by_its_node():
    x = leaf([1.0])
    x.register_hook(lambda grad: "text")
    with pytest.raises(InvalidTypeError, match="on GradNodeAccumulation returned str"):
        (x * 2).backward()


@pytest.mark.parametrize("hook", [5, None, "text"])
def test_only_functions_are_hooks(hook):
    x = leaf([1.0])
    y = x * 2
    text = f"A hook must be a function, but got {type(hook).__name__}"
    for register in (
        x.register_hook,
        y.register_hook,
        x._register_backward_hook,
        y.grad_fn._register_post_hook,
        y.grad_fn._register_pre_hook,
    ):
        with pytest.raises(InvalidTypeError, match=text):
            register(hook)


def test_constants_take_no_hooks():
    c = paddle.to_tensor([1.0])
    with pytest.raises(RuntimeError, match="Cannot register hook on a tensor that stop gradient"):
        c.register_hook(lambda grad: grad)
    with pytest.raises(ValueError, match="Cannot register backward hook on a Tensor that stop"):
        c._register_backward_hook(lambda: None)


def test_reduce_hooks_are_for_leaves():
    y = leaf([1.0]) * 2
    with pytest.raises(
        InvalidArgumentError,
        match=r"Only can register backward hook for leaf Tensor, .* made by ScaleGradNode",
    ):
        y._register_backward_hook(lambda: None)


def test_leaves_take_neither_pre_nor_post_hooks():
    x = leaf([1.0])
    for register in (x.grad_fn._register_post_hook, x.grad_fn._register_pre_hook):
        with pytest.raises(
            InvalidArgumentError,
            match=r"Could not register hook for GradNodeAccumulation\. Use Tensor\.register_hook",
        ):
            register(lambda outputs, inputs: outputs)


@pytest.mark.parametrize(
    ("answer", "error", "text"),
    [
        (lambda grads: None, InvalidTypeError, "must return a list or tuple, .* NoneType"),
        (lambda grads: grads[0], InvalidTypeError, "on MultiplyGradNode returned Tensor"),
        (lambda grads: grads[:1], InvalidArgumentError, "returned 1 gradients, but 2 are needed"),
        (lambda grads: [5, grads[1]], InvalidTypeError, "on MultiplyGradNode returned int"),
        (
            lambda grads: [grads[0].sum(), grads[1]],
            InvalidArgumentError,
            r"before\(\[2\]\) and after\(\[\]\)",
        ),
        (
            lambda grads: [grads[0].astype("float64"), grads[1]],
            PermissionDeniedError,
            r"before\(float32\) and after\(float64\)",
        ),
    ],
)
@pytest.mark.parametrize("through", ["backward", "grad", "create_graph"])
def test_answers_a_post_hook_may_not_give(answer, error, text, through):
    x, w = leaf([1.0, 2.0]), leaf([3.0, 4.0])
    y = x * w
    y.grad_fn._register_post_hook(lambda outputs, inputs: answer(outputs))
    with pytest.raises(error, match=text):
        differentiate(y, [x, w], through)
    assert x.grad is None


def test_answers_a_pre_hook_may_not_give():
    for answer, text in (
        (lambda grads: grads[0], "pre-hook must return a list or tuple, but one on ScaleGradNode"),
        (lambda grads: [*grads, *grads], "pre-hook on ScaleGradNode returned 2 gradients, but 1"),
        (lambda grads: [7], "returned int"),
    ):
        y = leaf([1.0]) * 2
        y.grad_fn._register_pre_hook(answer)
        with pytest.raises((InvalidTypeError, InvalidArgumentError), match=text):
            y.backward()


def test_an_exception_says_which_node_it_came_from():
    def hook(grad):
        raise KeyError("mine")

    x = leaf([1.0])
    a = paddle.exp(x)
    a.register_hook(hook)
    for run in (lambda: (a * a).backward(), lambda: paddle.grad(a * a, x)):
        with pytest.raises(KeyError, match="mine") as caught:
            run()
        assert caught.value.__notes__ == ["[GradNode < ExpGradNode > error]"]


class Raises(paddle.autograd.PyLayer):
    """Its backward calls a function that raises."""

    @staticmethod
    def forward(ctx, x, fail):
        ctx.fail = fail
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        ctx.fail()


@pytest.mark.parametrize("kind", [ValueError, KeyboardInterrupt])
@pytest.mark.parametrize("where", ["leaf", "hook", "post", "pylayer"])
def test_an_exception_is_the_one_that_was_raised_with_its_cause(where, kind):
    """Paddle makes an OSError from it, also from Ctrl-C, and continues with recording off."""
    mine, cause = kind("mine"), LookupError("why")

    def fail(*arguments):
        raise mine from cause

    x = leaf([1.0])
    y = Raises.apply(x, fail) if where == "pylayer" else x * 2
    if where == "post":
        y.grad_fn._register_post_hook(fail)
    elif where != "pylayer":
        (x if where == "leaf" else y).register_hook(fail)
    for level in (1, 2, 3):
        paddle.set_flags({"FLAGS_call_stack_level": level})
        try:
            with pytest.raises(kind) as caught:
                y.backward(retain_graph=True)
        finally:
            paddle.set_flags({"FLAGS_call_stack_level": 1})
        assert caught.value is mine
        assert mine.__cause__ is cause
        assert paddle.is_grad_enabled()


# ---- pre-hooks (Paddle's Python has none)


def test_a_pre_hook_sees_all_gradients_of_a_node():
    x, seen = leaf([1.0, 2.0, 3.0, 4.0]), []
    left, right = paddle.split(x, 2)

    def hook(grads):
        seen.append(lists_of(grads))
        return [grads[1], grads[0]]

    handle = left.grad_fn._register_pre_hook(hook)
    left.register_hook(lambda grad: grad * 10)
    (left * 1 + right * 2).backward(retain_graph=True)
    assert seen == [[[10.0, 10.0], [2.0, 2.0]]]
    assert x.grad.tolist() == [2.0, 2.0, 10.0, 10.0]
    assert handle.remove()
    assert not handle.remove()


def test_a_pre_hook_may_keep_the_gradients():
    x, seen = leaf([2.0]), []
    y = x * x
    y.grad_fn._register_pre_hook(lambda grads: seen.append(lists_of(grads)))
    y.backward()
    assert seen == [[[1.0]]]
    assert x.grad.tolist() == [4.0]


# ---- under paddle.grad and create_graph


def test_hooks_run_once_under_grad():
    x, seen = leaf([2.0]), []
    a = x * x
    a.register_hook(lambda grad: seen.append("hook") or grad * 3)
    a.grad_fn._register_pre_hook(lambda grads: seen.append("pre"))
    a.grad_fn._register_post_hook(lambda outputs, inputs: seen.append("post") or outputs)
    b = a * 5
    for create_graph in (False, True):
        seen.clear()
        assert lists_of(paddle.grad(b, x, create_graph=create_graph)) == [[60.0]]
        assert seen == ["hook", "pre", "post"]
    assert x.grad is None


def test_create_graph_records_the_ops_of_hooks():
    x, k = leaf([2.0], "float64"), leaf([3.0], "float64")
    a = x * 1.0
    a.register_hook(lambda grad: grad * k)
    a.grad_fn._register_post_hook(lambda outputs, inputs: [grad * k for grad in outputs])
    (first,) = paddle.grad(paddle.exp(a), x, create_graph=True)
    assert first.item() == pytest.approx(9.0 * np.exp(2.0))
    (by_k,) = paddle.grad(first, k)
    assert by_k.item() == pytest.approx(6.0 * np.exp(2.0))


def test_backward_with_create_graph_runs_hooks_of_leaves():
    x, seen = leaf([2.0]), []
    x.register_hook(lambda grad: seen.append(grad.tolist()) or grad * 10)
    x._register_backward_hook(lambda: seen.append(x.grad.tolist()))
    (x * x * x).backward(create_graph=True)
    assert seen == [[12.0], [120.0]]
    (second,) = paddle.grad(x.grad, x)
    assert second.tolist() == [120.0]


def test_retained_gradients_of_a_create_graph_are_part_of_it():
    x = leaf([2.0])
    a = x * x
    a.retain_grads()
    (first,) = paddle.grad(a * a, x, create_graph=True)
    assert first.tolist() == [32.0]
    assert a.grad.tolist() == [8.0]
    assert lists_of(paddle.grad(a.grad, x)) == [[8.0]]


def test_hooks_on_a_node_whose_hidden_output_is_differentiated():
    """The second derivative of layer_norm needs its mean, one more output of the hooked node."""

    def second(hooked):
        x, seen = leaf([[0.3, 0.7, -0.2]], "float64"), []
        y = paddle.nn.functional.layer_norm(x, [3])
        if hooked:
            y.register_hook(lambda grad: seen.append(grad.tolist()) or grad * 2)
        seed = paddle.to_tensor(np.float64([[1.0, 2.0, 4.0]]))
        (first,) = paddle.grad(y, x, seed, create_graph=True)
        (found,) = paddle.grad((first * first).sum(), x)
        return found.numpy(), seen

    plain, _ = second(False)
    hooked, seen = second(True)
    assert seen == [[[1.0, 2.0, 4.0]], [[0.0, 0.0, 0.0]]]
    assert np.abs(plain).max() > 0.01
    np.testing.assert_allclose(hooked, 4 * plain)


def test_node_hooks_do_not_see_hidden_outputs():
    x, seen = leaf([[0.3, 0.7, -0.2]], "float64"), []
    y = paddle.nn.functional.layer_norm(x, [3])
    (first,) = paddle.grad((y * y * y).sum(), x, create_graph=True)

    def pre(grads):
        seen.append(["pre", len(grads)])
        return list(grads)

    y.grad_fn._register_pre_hook(pre)
    y.grad_fn._register_post_hook(
        lambda outputs, inputs: seen.append(["post", len(inputs)]) or outputs
    )
    expected = paddle.grad((first * first).sum(), x)[0].numpy()
    assert seen == [["pre", 1], ["post", 1]]
    first.backward(first * 2)
    assert seen == [["pre", 1], ["post", 1]] * 2
    np.testing.assert_allclose(x.grad.numpy(), expected, rtol=1e-9)


def test_hooks_on_a_node_whose_saved_tensors_are_packed():
    x, seen = leaf([2.0]), []
    with paddle.autograd.saved_tensors_hooks(lambda t: t.numpy(), paddle.to_tensor):
        y = x * x
    y.register_hook(lambda grad: seen.append(grad.tolist()) or grad * 3)
    y.backward(retain_graph=True)
    assert lists_of(paddle.grad(y, x)) == [[12.0]]
    assert x.grad.tolist() == [12.0]
    assert seen == [[1.0], [1.0]]


# ---- failures in the middle


def _graph_that_fails(error):
    """Return three leaves with gradients, a root over them, and the handle of a failing hook.

    ``early`` is reached before the hook fails, ``late`` is not, ``behind`` is upstream of the hook.
    """

    def hook(grad):
        raise error

    early, late, behind = leaf([1.0]), leaf([2.0]), leaf([3.0])
    for tensor in (early, late):
        (tensor * 10).backward()
    middle = behind * 1.0
    handle = middle.register_hook(hook)
    root = (middle * late) * 2 + early * 3
    return (early, late, behind), root, handle


@pytest.mark.parametrize("error", [ValueError("boom"), KeyboardInterrupt(), SystemExit(1)])
@pytest.mark.parametrize("create_graph", [False, True])
def test_leaves_are_as_they_were_after_a_failure(error, create_graph):
    leaves, root, handle = _graph_that_fails(error)
    with pytest.raises(type(error)):
        root.backward(retain_graph=True, create_graph=create_graph)
    assert lists_of([x.grad for x in leaves]) == [[10.0], [10.0], None]
    handle.remove()
    root.backward()
    assert lists_of([x.grad for x in leaves]) == [[13.0], [16.0], [4.0]]


def test_a_leaf_that_was_cleared_stays_cleared_after_a_failure():
    leaves, root, _ = _graph_that_fails(ValueError("boom"))
    leaves[0].clear_grad()
    with pytest.raises(ValueError, match="boom"):
        root.backward(retain_graph=True)
    assert leaves[0].grad.tolist() == [0.0]
    (leaves[0] * 7).backward()
    assert leaves[0].grad.tolist() == [7.0]


@pytest.mark.parametrize("kind", ["leaf", "reduce", "post", "pre", "unpack"])
def test_leaves_are_as_they_were_whatever_failed(kind):
    def fail(*arguments):
        raise RuntimeError("boom")

    early, x = leaf([1.0]), leaf([2.0])
    with paddle.autograd.saved_tensors_hooks(
        lambda t: t, fail if kind == "unpack" else lambda t: t
    ):
        y = x * x
    if kind == "leaf":
        x.register_hook(fail)
    elif kind == "reduce":
        x._register_backward_hook(fail)
    elif kind == "post":
        y.grad_fn._register_post_hook(fail)
    elif kind == "pre":
        y.grad_fn._register_pre_hook(fail)
    root = early + y * 2
    with pytest.raises(RuntimeError, match="boom"):
        root.backward(retain_graph=True)
    assert early.grad is None
    assert x.grad is None


def test_a_failure_under_grad_leaves_the_graph_usable():
    leaves, root, handle = _graph_that_fails(KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        paddle.grad(root, list(leaves), create_graph=True)
    handle.remove()
    assert lists_of(paddle.grad(root, list(leaves))) == [[3.0], [6.0], [4.0]]
    assert lists_of([x.grad for x in leaves]) == [[10.0], [10.0], None]


def test_gradients_of_an_inner_backward_survive_a_failing_outer_one():
    x, w = leaf([1.0]), leaf([2.0])

    def hook(grad):
        (w * 5).backward()
        raise ValueError("boom")

    a = x * 2
    a.register_hook(hook)
    with pytest.raises(ValueError, match="boom"):
        (a + w).backward()
    assert x.grad is None
    assert w.grad.tolist() == [5.0]


def test_ten_thousand_failing_backwards_leave_nothing():
    def hook(grad):
        raise ValueError("boom")

    early, x = leaf([1.0]), leaf([2.0])

    def fail(times):
        for _ in range(times):
            y = x * x
            y.register_hook(hook)
            try:
                (early + y * 2).backward()
            except ValueError:
                continue
            raise AssertionError("the hook did not run")

    fail(10)
    gc.collect()
    before = len(jax.live_arrays())
    fail(10_000)
    gc.collect()
    assert len(jax.live_arrays()) == before
    assert early.grad is None


def test_nodes_with_hooks_are_freed_with_their_tensors():
    import weakref

    class Keeper:
        pass

    keeper = Keeper()
    gone = weakref.ref(keeper)
    x = leaf([1.0])
    y = x * 2
    y.register_hook(lambda grad, keeper=keeper: None)
    y.retain_grads()
    y.backward()
    del y, keeper
    assert gone() is None
