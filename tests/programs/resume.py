"""Checkpoints: a run that is cut off and resumed has the losses of one that is not."""

import os

import numpy as np
import paddle


def make():
    paddle.seed(1)
    model = paddle.nn.Sequential(
        paddle.nn.Linear(8, 16, bias_attr=False), paddle.nn.BatchNorm1D(16), paddle.nn.Sigmoid(),
        paddle.nn.Linear(16, 1),
    )  # fmt: skip
    rng = np.random.RandomState(2)
    for parameter in model.parameters():
        value = rng.normal(0, 0.3, parameter.shape).astype(np.float32)
        parameter.set_value(paddle.to_tensor(value))
    scheduler = paddle.optimizer.lr.CosineAnnealingDecay(learning_rate=0.1, T_max=10)
    clip = paddle.nn.ClipGradByGlobalNorm(1.0)
    optimizer = paddle.optimizer.Adam(scheduler, parameters=model.parameters(), grad_clip=clip)
    return model, optimizer, scheduler


def run(model, optimizer, scheduler, start, stop):
    losses = []
    for step in range(start, stop):
        rng = np.random.RandomState(step)
        x = paddle.to_tensor(rng.rand(32, 8).astype("float32"))
        y = x.sum(axis=1, keepdim=True) - 4
        loss = paddle.nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        scheduler.step()
        optimizer.clear_grad()
        losses.append(float(loss.numpy()))
    return losses


def first_half():
    model, optimizer, scheduler = make()
    losses = run(model, optimizer, scheduler, 0, 5)
    os.makedirs("checkpoints", exist_ok=True)
    paddle.save(model.state_dict(), "checkpoints/model.pdparams")
    paddle.save(optimizer.state_dict(), "checkpoints/model.pdopt")
    paddle.save({"step": 5, "losses": losses, "lr": optimizer.get_lr()}, "checkpoints/extra.pkl")
    print(sorted(os.listdir("checkpoints")))


def second_half():
    model, optimizer, scheduler = make()
    extra = paddle.load("checkpoints/extra.pkl")
    model.set_state_dict(paddle.load("checkpoints/model.pdparams"))
    optimizer.set_state_dict(paddle.load("checkpoints/model.pdopt"))
    print("resumed at", extra["step"], round(extra["lr"], 6), round(optimizer.get_lr(), 6))
    return extra["losses"] + run(model, optimizer, scheduler, extra["step"], 10)


with paddle.utils.unique_name.guard():
    whole = run(*make(), 0, 10)
with paddle.utils.unique_name.guard():  # names as in a new process, by which optimizers load
    first_half()
with paddle.utils.unique_name.guard():
    again = second_half()
print("bit-equal", whole == again)
print(" ".join(f"{loss:.5f}" for loss in whole))
state = paddle.load("checkpoints/model.pdparams", return_numpy=True)
for name, value in state.items():
    print(name, type(value).__name__, value.shape, f"{np.abs(value).sum():.4f}")
