"""A student learns from a teacher: deepcopy, EMA, kl_div, early stop, flatten of parameters."""

import copy

import numpy as np
import paddle
import paddle.nn.functional as F


class EMA:
    def __init__(self, model, decay):
        self.decay = decay
        self.shadow = {k: v.clone().detach() for k, v in model.state_dict().items()}

    @paddle.no_grad()
    def update(self, model):
        for name, value in model.state_dict().items():
            self.shadow[name] = self.decay * self.shadow[name] + (1 - self.decay) * value

    def apply_to(self, model):
        model.set_state_dict(self.shadow)
        return model


class Early:
    def __init__(self, patience):
        self.best, self.patience, self.left = float("inf"), patience, patience

    def __call__(self, loss):
        self.left = self.patience if loss < self.best - 1e-3 else self.left - 1
        self.best = min(self.best, loss)
        return self.left < 0


rng = np.random.RandomState(21)
teacher = paddle.nn.Sequential(paddle.nn.Linear(5, 20), paddle.nn.Tanh(), paddle.nn.Linear(20, 3))
paddle.nn.utils.vector_to_parameters(
    paddle.to_tensor(rng.normal(0, 0.7, 183).astype("float32")), teacher.parameters()
)
teacher.eval()
student = paddle.nn.Linear(5, 3)
student.weight.set_value(np.zeros((5, 3), np.float32))
student.bias.set_value(np.zeros(3, np.float32))
averaged, ema, early = copy.deepcopy(student), EMA(student, 0.8), Early(2)
optimizer = paddle.optimizer.Adamax(learning_rate=0.1, parameters=student.parameters())
x = paddle.to_tensor(rng.normal(size=[64, 5]).astype(np.float32))
for epoch in range(40):
    with paddle.no_grad():
        target = F.softmax(teacher(x) / 2.0, axis=-1)
    loss = F.kl_div(F.log_softmax(student(x) / 2.0, axis=-1), target, reduction="batchmean")
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
    ema.update(student)
    if epoch % 5 == 0:
        print(f"{epoch:>3} {loss.item():.6f}")
    if early(loss.item()):
        print("stopped early at", epoch)
        break
averaged = ema.apply_to(averaged)
agree = (student(x).argmax(1) == averaged(x).argmax(1)).astype("float32").mean()
vector = paddle.nn.utils.parameters_to_vector(averaged.parameters())
print(f"agree {agree.item():.4f} size {vector.norm().item():.5f}", vector.shape)
