"""Kernels that a program made before it first used lazy mode: kernels/lazy/mode.py, ``install``."""

from tests.support.processes import printed_by

WITHOUT_OPERANDS = {"<lambda>", "traced"}  # of constants: there is nothing to record
DONATING = {"optimizer_step", "next_direction"}  # recorded by a kernel that donates nothing
PROGRAM = """
import gc
import numpy as np
import jaxeager as paddle
from jaxeager.kernels import tracing
from jaxeager.kernels.lazy import mode


def train():
    embedding = paddle.nn.Embedding(50, 8, sparse=True)
    net = paddle.nn.Sequential(embedding, paddle.nn.Linear(8, 8))
    ids = paddle.to_tensor(np.arange(12).reshape(3, 4))
    weights = net[1].parameters()
    for clip in (paddle.nn.ClipGradByGlobalNorm(1.0), paddle.nn.ClipGradByNorm(1.0)):
        optimizer = paddle.optimizer.Adam(1e-3, parameters=net.parameters(), grad_clip=clip)
        scaler = paddle.amp.GradScaler(init_loss_scaling=4.0)
        for _ in range(2):
            with paddle.amp.auto_cast():
                loss = (net(ids) ** 2).mean()
            scaler.scale(loss).backward()
            paddle.nn.utils.clip_grad_norm_(weights, 1.0)
            paddle.nn.utils.clip_grad_value_(weights, 1.0)
            scaler.step(optimizer)
            scaler.update()
            optimizer.clear_grad()
    loss = paddle.tanh(weights[0]).sum()
    for _ in range(5):
        loss.backward(retain_graph=True)


train()
mode.install()
gc.collect()
jitted = type(tracing.jit(lambda x: x).kernel)
recorded = {id(each.kernel) for each in gc.get_objects() if isinstance(each, mode.Kernel)}
recorded |= {id(each.kernel) for each in gc.get_objects() if isinstance(each, mode.StaticKernel)}
for each in gc.get_objects():
    if type(each) is jitted and "origin" in vars(each) and id(each) not in recorded:
        print(each.__name__)
"""


def test_no_kernel_that_was_made_before_ends_segments():
    kept = set(printed_by(PROGRAM).split())
    assert "optimizer_step" in kept, "the search found no kernel"
    assert kept <= WITHOUT_OPERANDS | DONATING
