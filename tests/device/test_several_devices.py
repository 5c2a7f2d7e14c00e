"""Tensors on several devices of one process: where values and gradients go, and what is refused."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent

PROGRAM = """
import jax
import numpy as np
import jaxeager as paddle

here, there, far = jax.devices()[:3]

def tensor(values, device, stop_gradient=True):
    return paddle.to_tensor(values, place=device, stop_gradient=stop_gradient)

def on(x):
    (device,) = x._array.devices()
    return device

def refused(call):
    try:
        call()
    except ValueError as error:
        return "[0]" in str(error) and "[1]" in str(error)

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
for write in (lambda: y.set_value(x), lambda: y.copy_(x), lambda: y.set_value(x.numpy())):
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
    flags = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count=4"
    environment = os.environ | {
        "PYTHONPATH": str(ROOT),
        "JAX_PLATFORMS": "cpu",
        "XLA_FLAGS": flags.strip(),
    }
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert (done.stdout, done.returncode) == ("done\n", 0), done.stderr
