"""An agent learns to balance a pole on a cart: actor and critic with generalised advantages.

The carts are a few lines of NumPy here, sixteen together. The actor returns the probability of a
push to the right, the critic the expected return; an episode ends after 200 steps, or when the pole
leans too far. It is ordinary Paddle code:

    python examples/actor_critic.py                           # on Paddle
    python -m jaxeager examples/actor_critic.py --steps 250   # here
"""

import argparse
from pathlib import Path

import numpy as np
import paddle
import paddle.nn.functional as F
from matplotlib.figure import Figure
from paddle import nn
from tqdm import tqdm

CARTS, ROLLOUT, LONGEST = 16, 32, 200
DISCOUNT, LAMBDA = 0.98, 0.95


class Carts:
    """Carts with poles: position, speed, angle and turn of each, float64[CARTS, 4]."""

    def __init__(self, seed):
        self.rng = np.random.RandomState(seed)
        self.state = self.rng.uniform(-0.05, 0.05, (CARTS, 4))
        self.age = np.zeros(CARTS, "int64")
        self.ages = []  # of the finished episodes

    def step(self, actions):
        """Push left or right for a fiftieth of a second; return which episodes ended."""
        _, speed, angle, turn = self.state.T
        force = np.where(actions == 1, 10.0, -10.0)
        pull = (force + 0.05 * turn**2 * np.sin(angle)) / 1.1
        lean = 9.8 * np.sin(angle) - np.cos(angle) * pull
        bend = lean / (0.5 * (4.0 / 3.0 - 0.1 * np.cos(angle) ** 2 / 1.1))
        push = pull - 0.05 * bend * np.cos(angle) / 1.1
        self.state = self.state + 0.02 * np.stack([speed, push, turn, bend], axis=1)
        self.age += 1
        fell = (np.abs(self.state[:, 0]) > 2.4) | (np.abs(self.state[:, 2]) > 0.21)
        ended = fell | (self.age >= LONGEST)
        self.ages += self.age[ended].tolist()
        self.state[ended] = self.rng.uniform(-0.05, 0.05, (ended.sum(), 4))
        self.age[ended] = 0
        return ended


class Agent(nn.Layer):
    """States float[..., 4] to logits of the two pushes [..., 2] and values [...]."""

    def __init__(self, width=64):
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(4, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh()
        )
        self.actor, self.critic = nn.Linear(width, 2), nn.Linear(width, 1)

    def forward(self, states):
        x = self.body(states)
        return self.actor(x), self.critic(x).squeeze(-1)


def play(agent, carts):
    """Return states, actions, ends and values of ROLLOUT steps, the value after them as well."""
    states, actions, ends, values = [], [], [], []
    with paddle.no_grad():
        for _ in range(ROLLOUT):
            state = carts.state.astype("float32")
            logits, value = agent(paddle.to_tensor(state))
            to_right = F.softmax(logits, axis=-1)[:, 1].numpy()
            action = (carts.rng.rand(CARTS) < to_right).astype("int64")
            states.append(state), actions.append(action), values.append(value.numpy())
            ends.append(carts.step(action))
        values.append(agent(paddle.to_tensor(carts.state.astype("float32")))[1].numpy())
    return np.stack(states), np.stack(actions), np.stack(ends), np.stack(values)


def advantages(ends, values):
    """Return how much better than expected each step was; an endless episode has the value 1."""
    found = np.zeros_like(values[:-1])
    ahead = np.zeros(CARTS, "float32")
    for at in reversed(range(ROLLOUT)):
        goes_on = 1.0 - ends[at].astype("float32")
        surprise = 1.0 - DISCOUNT + DISCOUNT * goes_on * values[at + 1] - values[at]
        ahead = found[at] = surprise + DISCOUNT * LAMBDA * goes_on * ahead
    return found


def train(agent, carts, steps):
    """Return the losses, and the mean length of the last 50 episodes after each step."""
    rate = paddle.optimizer.lr.LambdaDecay(5e-3, lambda step: 1.0 - 0.9 * step / steps)
    clip = nn.ClipGradByGlobalNorm(0.5)
    adam = paddle.optimizer.Adam(rate, parameters=agent.parameters(), grad_clip=clip)
    losses, lengths = [], []
    for _ in (bar := tqdm(range(steps), unit="step")):
        states, actions, ends, values = play(agent, carts)
        gained = advantages(ends, values)
        returns = paddle.to_tensor(gained + values[:-1])
        gained = paddle.to_tensor((gained - gained.mean()) / (gained.std() + 1e-6))
        logits, value = agent(paddle.to_tensor(states))
        chances = F.log_softmax(logits, axis=-1)
        chosen = (chances * F.one_hot(paddle.to_tensor(actions), 2)).sum(-1)
        entropy = -(chances.exp() * chances).sum(-1).mean()
        loss = F.smooth_l1_loss(value, returns) / 2 - (chosen * gained).mean() - 0.01 * entropy
        loss.backward()
        adam.step()
        adam.clear_grad()
        rate.step()
        losses.append(float(loss))
        lengths.append(np.mean(carts.ages[-50:]) if carts.ages else np.nan)
        bar.set_postfix(loss=f"{losses[-1]:.4f}", episode=f"{lengths[-1]:.0f}", refresh=False)
    return losses, lengths


def main(arguments=None):
    """Train, and draw the lengths of episodes; return the losses."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=250)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("out/actor_critic"))
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    paddle.seed(options.seed)
    agent = Agent()
    losses, lengths = train(agent, Carts(options.seed), options.steps)
    figure = Figure(figsize=(6, 3.6), layout="constrained")
    axes = figure.subplots()
    axes.plot(lengths)
    axes.axhline(LONGEST, color="gray", lw=1, ls="--")
    axes.set(xlabel="step", ylabel="mean length of the last 50 episodes")
    figure.savefig(options.out / "actor_critic.png", dpi=110)
    print(f"the pole stays up for {lengths[-1]:.0f} of {LONGEST} steps")
    print(f"wrote {options.out / 'actor_critic.png'}")
    return losses


if __name__ == "__main__":
    main()
