"""The shared drain: the same order with and without tools, on arrays and on Tensors; interrupts."""

import pytest

import jaxeager as paddle
from jaxeager.graph import events
from tests.support.interrupts import interrupted_at, places_in
from tests.support.leaves import leaf


class Looks(events.Observer):
    """Observes every kind of event that the engine reports."""

    def __init__(self):
        self.ran = []

    def node_began(self, node, grads):
        self.ran.append(node.name())

    def gradients_met(self, node, grads, positions):
        pass

    def node_ran(self, node, saved, grads, results):
        pass

    def gradient_passed(self, node, edge, grad, is_first, waiting):
        pass

    def hook_began(self, node, position, hook, grad):
        pass


def hooked_graph(log):
    """Return leaves and the root of a diamond with every kind of hook, each of which logs."""

    def says(name):
        return lambda *grads: log.append(name)

    def passes(name):
        return lambda outputs, inputs: log.append(name) or outputs

    x, w = leaf([2.0]), leaf([3.0])
    a = x * w
    b, c = a * 2, a * a
    for name, tensor in (("x", x), ("w", w), ("a", a), ("b", b), ("c", c)):
        tensor.register_hook(says(f"{name} first"))
        tensor.register_hook(says(f"{name} second"))
    for name, tensor in (("a", a), ("b", b), ("c", c)):
        tensor.retain_grads()
        tensor.grad_fn._register_pre_hook(says(f"{name} pre"))
        tensor.grad_fn._register_post_hook(passes(f"{name} post"))
    x._register_backward_hook(says("x reduced"))
    return (x, w), b + c


WAYS = {
    "backward": lambda leaves, root: root.backward(),
    "backward, create_graph": lambda leaves, root: root.backward(create_graph=True),
    "grad": lambda leaves, root: paddle.grad(root, list(leaves)),
    "grad, create_graph": lambda leaves, root: paddle.grad(root, list(leaves), create_graph=True),
}
NODES = ["b first", "b second", "b pre", "b post", "c first", "c second", "c pre", "c post"]
NODES += ["a first", "a second", "a pre", "a post"]
LEAVES = ["w first", "w second", "x first", "x second", "x reduced"]


@pytest.mark.parametrize("is_looked_at", [False, True])
@pytest.mark.parametrize("way", WAYS)
def test_hooks_run_in_one_order_with_and_without_observers(way, is_looked_at):
    log, looks = [], Looks()
    leaves, root = hooked_graph(log)
    if is_looked_at:
        with events.observing(looks):
            WAYS[way](leaves, root)
        ends = ["GradNodeAccumulation"] * 2
        nodes = ["AddGradNode", "ScaleGradNode", "MultiplyGradNode", "MultiplyGradNode"]
        assert looks.ran == nodes + ends
    else:
        WAYS[way](leaves, root)
    assert log == NODES + (LEAVES if way.startswith("backward") else [])


def test_a_tool_that_begins_in_a_hook_is_notified_from_the_next_backward_on():
    looks, x = Looks(), leaf([2.0])
    y = x * 3
    y.register_hook(lambda grad: events.observe(looks))
    try:
        (y * y).backward(retain_graph=True)
        assert looks.ran == []
        (x * 5).backward()
        assert looks.ran == ["ScaleGradNode", "GradNodeAccumulation"]
    finally:
        events.unobserve(looks)


@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize("through", ["backward", "grad"])
def test_a_failure_gives_retained_gradients_back(through, create_graph):
    x = leaf([2.0])
    early = x * 3
    late = early * 5
    late.retain_grads()
    late.backward(retain_graph=True)
    held, of_x = late.grad, x.grad

    def fail(grad):
        raise ValueError("boom")

    early.register_hook(fail)
    way = f"{through}, create_graph" if create_graph else through
    with pytest.raises(ValueError, match="boom"):
        WAYS[way]([x], late * 7)
    assert late.grad is held
    assert late.grad.tolist() == [1.0]
    assert x.grad is of_x


@pytest.mark.parametrize("create_graph", [False, True])
def test_an_interrupt_anywhere_leaves_every_gradient_old_or_every_gradient_new(create_graph):
    def make():
        x, w = leaf([2.0]), leaf([3.0])
        (x * 10 + w * 20).backward()
        a = x * w
        a.retain_grads()
        a.register_hook(lambda grad: grad * 2)
        root = a * a + w

        def run():
            root.backward(create_graph=create_graph)

        return (x, w, a), run

    def grads(tensors):
        return [None if each.grad is None else each.grad.tolist() for each in tensors]

    for _ in range(2):  # the second time every kernel exists
        tensors, run = make()
        before, number = grads(tensors), places_in(run)
    after, found = grads(tensors), set()
    assert before == [[10.0], [20.0], None]
    assert after != before
    for place in range(0, number, 1 + number // 150):
        tensors, run = make()
        interrupted_at(place, run)
        is_new = grads(tensors) == after
        assert is_new or grads(tensors) == before
        found.add(is_new)
    assert False in found
