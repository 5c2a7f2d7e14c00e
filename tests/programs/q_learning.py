"""Deep Q-learning in a corridor: a replay buffer, a target network, gather, one_hot."""

import random
from collections import deque

import numpy as np
import paddle
import paddle.nn as nn
import paddle.nn.functional as F
from paddle.distribution import Categorical

LENGTH = 6


class Corridor:
    """Start in the middle; the right end pays 1, the left end nothing."""

    def reset(self):
        self.at, self.steps = LENGTH // 2, 0
        return self.at

    def step(self, action):
        self.at += 1 if action == 1 else -1
        self.steps += 1
        done = self.at in (0, LENGTH - 1) or self.steps >= 12
        return self.at, float(self.at == LENGTH - 1), done


class Q(nn.Layer):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(LENGTH, 12)
        self.value = nn.Linear(12, 1)
        self.advantage = nn.Linear(12, 2)

    def forward(self, at):
        hidden = F.elu(self.body(F.one_hot(at, LENGTH)))
        advantage = self.advantage(hidden)
        return self.value(hidden) + advantage - advantage.mean(axis=1, keepdim=True)


random.seed(0)
rng = np.random.RandomState(0)
online, target = Q(), Q()
for parameter in online.parameters():
    parameter.set_value(rng.uniform(-0.5, 0.5, parameter.shape).astype("float32"))
target.set_state_dict(online.state_dict())
optimizer = paddle.optimizer.Adam(parameters=online.parameters(), learning_rate=0.02)
loss_fn = nn.SmoothL1Loss()
buffer, env, total = deque(maxlen=200), Corridor(), 0.0
for episode in range(12):
    state, done = env.reset(), False
    while not done:
        if random.random() < 0.3:
            action = random.randrange(2)
        else:
            with paddle.no_grad():
                action = int(online(paddle.to_tensor([state])).argmax())
        following, reward, done = env.step(action)
        buffer.append((state, action, reward, following, float(done)))
        state, total = following, total + reward
    batch = [buffer[random.randrange(len(buffer))] for _ in range(16)]
    states, actions, rewards, nexts, ends = map(np.array, zip(*batch))
    with paddle.no_grad():
        best = target(paddle.to_tensor(nexts)).max(axis=1)
        wanted = paddle.to_tensor(rewards, "float32") + 0.9 * best * (
            1 - paddle.to_tensor(ends, dtype="float32")
        )
    chosen = paddle.take_along_axis(
        online(paddle.to_tensor(states)), paddle.to_tensor(actions).reshape([-1, 1]), axis=1
    ).squeeze(1)
    loss = loss_fn(chosen, wanted)
    optimizer.clear_grad()
    loss.backward()
    optimizer.step()
    if episode % 4 == 3:
        target.load_dict(online.state_dict())
        print(f"episode {episode} return {total:.1f} loss {loss.item():.6f}")
values = online(paddle.arange(LENGTH))
policy = Categorical(logits=values)
print(np.round(values.numpy(), 4).tolist())
print(np.round(policy.entropy().numpy(), 4).tolist(), len(buffer))
