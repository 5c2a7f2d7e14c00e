"""Classifies points of two spirals: argparse, a Dataset read by workers, a scheduler, accuracy."""

import argparse

import numpy as np
import paddle
import paddle.nn.functional as F
from paddle import nn
from paddle.io import DataLoader, Dataset


class Spirals(Dataset):
    """Points of two spirals, and which one each is on."""

    def __init__(self, count, seed):
        super().__init__()
        rng = np.random.RandomState(seed)
        self.labels = rng.randint(0, 2, count).astype("int64")
        angle = rng.uniform(0.5, 3.0, count) * np.pi
        radius = angle / 10 * np.where(self.labels == 1, 1, -1)
        points = np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1)
        self.points = (points + rng.normal(0, 0.02, points.shape)).astype("float32")

    def __getitem__(self, index):
        return self.points[index], self.labels[index]

    def __len__(self):
        return len(self.labels)


class Net(nn.Layer):
    def __init__(self, hidden):
        super().__init__()
        self.fc1 = nn.Linear(2, hidden)
        self.fc2 = nn.Linear(hidden, hidden)
        self.out = nn.Linear(hidden, 2)
        self.dropout = nn.Dropout(0.0)

    def forward(self, x):
        x = F.relu(self.fc1(x))
        x = self.dropout(F.tanh(self.fc2(x)))
        return self.out(x)


def init_weights(layer):
    if isinstance(layer, nn.Linear):
        rng = np.random.RandomState(sum(layer.weight.shape))
        layer.weight.set_value(rng.normal(0, 0.4, layer.weight.shape).astype("float32"))
        layer.bias.set_value(paddle.zeros_like(layer.bias))


@paddle.no_grad()
def evaluate(model, loader):
    model.eval()
    accuracy = paddle.metric.Accuracy()
    for points, labels in loader:
        correct = accuracy.compute(model(points), labels.unsqueeze(-1))
        accuracy.update(correct)
    model.train()
    return accuracy.accumulate()


def main(args):
    paddle.seed(args.seed)
    model = Net(args.hidden)
    model.apply(init_weights)
    scheduler = paddle.optimizer.lr.StepDecay(args.lr, step_size=2, gamma=0.5)
    optimizer = paddle.optimizer.Adam(
        learning_rate=scheduler, parameters=model.parameters(), weight_decay=1e-4
    )
    criterion = nn.CrossEntropyLoss()
    train_loader = DataLoader(
        Spirals(256, 0), batch_size=64, shuffle=False, num_workers=args.workers, drop_last=True
    )
    test_loader = DataLoader(Spirals(100, 1), batch_size=50)
    for epoch in range(args.epochs):
        losses = []
        for step, (points, labels) in enumerate(train_loader):
            loss = criterion(model(points), labels)
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
            losses.append(loss.item())
            if step % 2 == 0:
                print(f"epoch {epoch} step {step} loss {float(loss):.6f} lr {optimizer.get_lr()}")
        scheduler.step()
        print(
            f"epoch {epoch} mean loss {np.mean(losses):.6f} acc {evaluate(model, test_loader):.3f}"
        )
    print(type(loss), loss.dtype, loss.shape, list(model.state_dict()))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--hidden", type=int, default=32)
    parser.add_argument("--lr", type=float, default=0.01)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--workers", type=int, default=2)
    main(parser.parse_args())
