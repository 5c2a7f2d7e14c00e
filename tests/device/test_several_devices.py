"""Tensors on several devices of one process: places of values and gradients, and refusals."""

import os

from tests.support.processes import printed_by
from tests.support.xla_flags import for_several_devices

PROGRAM = """
import jax
import numpy as np
import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError

here, there, far = jax.devices()[:3]

def tensor(values, device, stop_gradient=True):
    return paddle.to_tensor(values, place=device, stop_gradient=stop_gradient)

def on(x):
    (device,) = x._array.devices()
    return device

def refused(call, *named):
    try:
        call()
    except InvalidArgumentError as error:
        return all(each in str(error) for each in ("cpu:0", "cpu:1", *named))

x, y = tensor([1.0, 2.0], here), tensor([3.0, 4.0], there)

# What is computed from one tensor stays where it is; numbers and fresh tensors come to it.
found = [y + 2.0, y.sum(), y[0], y.reshape([2, 1]), y.cast("int32")]
assert {on(each) for each in found} == {there}
assert on(paddle.ones([2]) + y) is there
assert x.to(y.place).tolist() == [1.0, 2.0] and on(x.to(y.place)) is there
assert on(y.to("cpu:2")) is far and on(y.cpu()) is here and y.to(there) is y

# Two devices in one op are refused, and nothing has changed.
calls = [
    lambda: x + y, lambda: y.add_(x), lambda: y.__setitem__(0, x[1]), lambda: paddle.concat([x, y]),
    lambda: paddle.where(x > 0, x, y), lambda: y[tensor([0], here)],
]
assert [refused(call) for call in calls] == [True] * len(calls)
assert y.tolist() == [3.0, 4.0] and y.inplace_version == 0

# A value that is copied in comes to the tensor, which stays where it is.
writes = [
    lambda: y.set_value(x), lambda: y.copy_(x), lambda: y.set_value(x.numpy()),
    lambda: paddle.assign(x, y), lambda: paddle.assign(x.numpy().copy(), y),
    lambda: paddle.nn.utils.vector_to_parameters(x, [y]),
]
for write in writes:
    y = tensor([3.0, 4.0], there)
    write()
    assert on(y) is there and y.tolist() == [1.0, 2.0]
layer = paddle.nn.Linear(2, 2).to(there)
values = paddle.nn.Linear(2, 2).state_dict()
layer.set_state_dict(values)
assert on(layer.weight) is there
np.testing.assert_array_equal(layer.weight.numpy(), values["weight"].numpy())

# Gradients come back over a copy, to a leaf, to what made it, and to any order.
w = tensor([3.0, 4.0], there, stop_gradient=False)
(w * 2).sum().backward()
copied = w.to(far)
(copied * copied).sum().backward()
assert w.grad.tolist() == [8.0, 10.0] and on(w.grad) is there
assert copied.grad.tolist() == [6.0, 8.0] and on(copied.grad) is far
square = (w * w).to(far)
(first,) = paddle.grad((square * square).sum(), [w], create_graph=True)
(second,) = paddle.grad(first.sum(), [w])
assert first.tolist() == [108.0, 256.0] and second.tolist() == [108.0, 192.0]
assert on(first) is there and on(second) is there
with paddle.no_grad():
    assert w.to(far).is_leaf
assert tensor([1.0], there).to(far).stop_gradient

# A gradient that is given comes to its tensor, and is differentiated through.
def given(start):
    w, g = tensor([1.0, 2.0], here, False), tensor([3.0, 4.0], there, False)
    found = start(w, g)
    assert w.grad is None or on(w.grad) is here
    return [each.tolist() for each in (found or [w.grad])]

assert given(lambda w, g: (w * w).backward(g)) == [[6.0, 16.0]]
assert given(lambda w, g: (w * 2).backward(g)) == [[6.0, 8.0]]
assert given(lambda w, g: paddle.grad(w * 2, w, g)) == [[6.0, 8.0]]
assert given(lambda w, g: setattr(w, "grad", g)) == [[3.0, 4.0]]

def accumulated(w, g):
    w.grad = g
    (w * w).sum().backward()
assert given(accumulated) == [[5.0, 8.0]]

def twice(w, g):
    (first,) = paddle.grad(w * w, w, g, create_graph=True)
    found = paddle.grad(first.sum(), [w, g])
    assert [on(each) for each in found] == [here, there]
    return found
assert given(twice) == [[6.0, 8.0], [2.0, 4.0]]

def shifted(w, g):  # by a hook, where another gradient is to be added
    for _ in range(2):
        handle = w.register_hook(lambda grad: grad.to(there))
        w.sum().backward()
        handle.remove()
        (w * w).sum().backward()
w = tensor([1.0, 2.0], here, False)
assert refused(lambda: shifted(w, None), "backward", "hook")
assert w.grad.tolist() == [1.0, 1.0]

# An optimizer has all on one device, and what is refused has changed nothing.
def layers():
    made = [paddle.nn.Linear(2, 2).to(device) for device in (here, there)]
    for layer in made:
        (layer(tensor([[1.0, 2.0]], on(layer.weight))) ** 2).sum().backward()
    return made

def read(*layers):
    return [(p.numpy().tolist(), p.grad.tolist(), on(p)) for l in layers for p in l.parameters()]

kinds = [paddle.optimizer.SGD, paddle.optimizer.Adam, paddle.optimizer.AdamW]
for kind in kinds:
    one, two = layers()
    both = one.parameters() + two.parameters()
    optimizer = kind(0.1, parameters=both)
    before = read(one, two)
    for _ in range(2):
        assert refused(optimizer.step, kind.__name__, one.weight.name, two.weight.name)
    assert read(one, two) == before and not optimizer.state_dict()
    two.to(here)
    optimizer.step()
    assert all(now[0] != old[0] for now, old in zip(read(one, two), before))

one, two = layers()
both = one.parameters() + two.parameters()
lbfgs = paddle.optimizer.LBFGS(parameters=both)
before = read(one, two)
calls = [
    lambda: lbfgs.step(lambda: None),
    lambda: paddle.nn.utils.clip_grad_norm_(both, 0.1),
    lambda: paddle.nn.utils.clip_grad_value_(both, 0.1),
    lambda: paddle.nn.utils.parameters_to_vector(both),
    lambda: paddle.nn.ClipGradByGlobalNorm(0.1)([(p, p.grad) for p in both]),
    lambda: paddle.amp.GradScaler().unscale_(paddle.optimizer.SGD(0.1, parameters=both)),
]
assert [refused(call) for call in calls] == [True] * len(calls)
assert read(one, two) == before

# State of an optimizer stays behind when its layer moves on; a new one's comes to the layer.
layer = paddle.nn.Linear(2, 2)
adam = paddle.optimizer.Adam(0.1, parameters=layer.parameters())
layer(tensor([[1.0, 2.0]], here)).sum().backward()
adam.step()
layer.to(there)
before = read(layer)
assert refused(adam.step, layer.weight.name, "moment1")
assert read(layer) == before
moved = paddle.optimizer.Adam(0.1, parameters=layer.parameters())
moved.set_state_dict(adam.state_dict())
adam = moved
for _ in range(2):
    adam.step()
assert {on(each) for each in adam.state_dict().values()} == {there}
adam.set_state_dict({name: each.to(here) for name, each in adam.state_dict().items()})
adam.step()
power = adam.state_dict()[layer.weight.name + "_beta1_pow_acc_0"]
np.testing.assert_allclose(power.numpy(), [0.9**5], rtol=1e-5)
assert all(now[0] != old[0] and now[2] is there for now, old in zip(read(layer), before))
grads = [(p, p.grad.to(here)) for p in layer.parameters()]
before = read(layer)
assert refused(lambda: adam.apply_gradients(grads), "the gradient of " + layer.weight.name)
assert read(layer) == before

# A model in two halves, each with its optimizer, against the same on one device.
def trained(first, second):
    paddle.seed(3)
    front, back = paddle.nn.Linear(2, 4).to(first), paddle.nn.Linear(4, 1).to(second)
    steps = [paddle.optimizer.Adam(0.1, parameters=half.parameters()) for half in (front, back)]
    for _ in range(3):
        hidden = paddle.tanh(front(paddle.ones([3, 2]).to(first)))
        (back(hidden.to(second)) ** 2).mean().backward()
        for step in steps:
            step.step()
            step.clear_grad()
    assert on(front.weight) is first and on(back.weight) is second
    return [p.numpy() for p in (*front.parameters(), *back.parameters())]

for one, two in zip(trained(here, there), trained(here, here)):
    np.testing.assert_allclose(one, two, rtol=1e-6)
print("done")
"""


def test_values_and_gradients_on_several_devices():
    assert printed_by(PROGRAM, **for_several_devices(dict(os.environ), 4)) == "done\n"
