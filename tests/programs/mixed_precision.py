"""AMP: auto_cast, decorate, GradScaler, gradient accumulation."""

import numpy as np
import paddle
from paddle import nn


def build():
    rng = np.random.RandomState(5)
    model = nn.Sequential(nn.Linear(16, 32), nn.LayerNorm(32), nn.GELU(), nn.Linear(32, 4))
    for parameter in model.parameters():
        if len(parameter.shape) == 2:
            parameter.set_value(rng.normal(0, 0.2, parameter.shape).astype("float32"))
    return model


def batches():
    rng = np.random.RandomState(6)
    for _ in range(8):
        x = rng.normal(size=(8, 16)).astype("float32")
        yield paddle.to_tensor(x), paddle.to_tensor(np.argmax(x[:, :4], 1))


def train(level):
    model = build()
    optimizer = paddle.optimizer.AdamW(learning_rate=0.01, parameters=model.parameters())
    if level == "O2":
        model, optimizer = paddle.amp.decorate(
            models=model, optimizers=optimizer, level="O2", dtype="bfloat16"
        )
    scaler = paddle.amp.GradScaler(init_loss_scaling=1024, enable=False)
    loss_fn = nn.CrossEntropyLoss()
    total = 0.0
    for step, (x, y) in enumerate(batches(), 1):
        with paddle.amp.auto_cast(level=level, dtype="bfloat16", custom_white_list={"gelu"}):
            logits = model(x)
            loss = loss_fn(logits.astype("float32"), y) / 2
        scaled = scaler.scale(loss)
        scaled.backward()
        total += loss.item()
        if step % 2 == 0:
            scaler.step(optimizer)
            scaler.update()
            optimizer.clear_grad(set_to_zero=False)
            print(f"{level} step {step} loss {total:.2f}")
            total = 0.0
    print(level, type(loss), scaler.is_enable(), scaler.state_dict())


for level in ("O1", "O2"):
    train(level)
