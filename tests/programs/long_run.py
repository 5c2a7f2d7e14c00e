"""A training run as long ones are: AMP with a scaler, accumulation, EMA, warm-up, plateau, early stop.

It is cut off in the middle of an epoch and resumed from its checkpoint, to bit-equal losses.
"""

import os
import random

import numpy as np
import paddle
import paddle.nn as nn
import paddle.nn.functional as F
from paddle.io import BatchSampler, DataLoader, Dataset


def set_seed(seed):
    random.seed(seed)
    np.random.seed(seed)
    paddle.seed(seed)


class Curves(Dataset):
    """Records of a dict each, of unequal lengths."""

    def __init__(self, count, seed=0):
        rng = np.random.RandomState(seed)
        self.records = []
        for _ in range(count):
            n = rng.randint(4, 9)
            x = rng.normal(size=(n, 3)).astype("float32")
            self.records.append(
                {"x": x, "y": np.float32(np.tanh(x.sum())), "id": len(self.records)}
            )

    def __getitem__(self, idx):
        return self.records[idx]

    def __len__(self):
        return len(self.records)


def collate_fn(batch):
    longest = max(len(each["x"]) for each in batch)
    x = np.zeros((len(batch), longest, 3), dtype=np.float32)
    mask = np.zeros((len(batch), longest), dtype=np.float32)
    for i, each in enumerate(batch):
        x[i, : len(each["x"])] = each["x"]
        mask[i, : len(each["x"])] = 1
    return {
        "x": x,
        "mask": mask,
        "y": np.array([each["y"] for each in batch])[:, None],
        "id": [each["id"] for each in batch],
    }


class SeededSampler(BatchSampler):
    """Shuffles by the number of the epoch, and can begin in its middle."""

    def __init__(self, dataset, batch_size):
        super().__init__(dataset=dataset, shuffle=False, batch_size=batch_size, drop_last=True)
        self.epoch, self.skip = 0, 0

    def set_epoch(self, epoch, skip=0):
        self.epoch, self.skip = epoch, skip

    def __iter__(self):
        order = np.random.RandomState(100 + self.epoch).permutation(len(self.sampler))
        for at in range(self.skip, len(self)):
            yield order[at * self.batch_size : (at + 1) * self.batch_size].tolist()


class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.enc = nn.Linear(3, 16, bias_attr=False)
        self.bn = nn.BatchNorm1D(16, data_format="NLC")
        self.head = nn.Sequential(nn.Linear(16, 8), nn.GELU(), nn.Dropout(0.0), nn.Linear(8, 1))

    def forward(self, x, mask):
        h = F.relu(self.bn(self.enc(x)))
        h = (h * mask.unsqueeze(-1)).sum(axis=1) / mask.sum(axis=1, keepdim=True)
        return self.head(h)


class EMA:
    def __init__(self, model, decay=0.9):
        self.decay, self.step = decay, 0
        self.shadow = {k: v.clone().detach() for k, v in model.state_dict().items()}
        self.backup = {}

    @paddle.no_grad()
    def update(self, model):
        self.step += 1
        decay = min(self.decay, (1 + self.step) / (10 + self.step))
        for k, v in model.state_dict().items():
            self.shadow[k] = decay * self.shadow[k] + (1 - decay) * v

    def apply(self, model):
        self.backup = {k: v.clone() for k, v in model.state_dict().items()}
        model.set_state_dict(self.shadow)

    def restore(self, model):
        model.set_state_dict(self.backup)

    def state_dict(self):
        return {"shadow": self.shadow, "step": self.step}

    def set_state_dict(self, state):
        self.shadow, self.step = state["shadow"], state["step"]


class Trainer:
    def __init__(self, out, accumulate=2):
        set_seed(42)
        self.out, self.accumulate = out, accumulate
        self.model = Net()
        rng = np.random.RandomState(11)
        for p in self.model.parameters():
            if p.ndim == 2:
                p.set_value(rng.normal(0, 0.4, p.shape).astype("float32"))
        self.plateau = paddle.optimizer.lr.ReduceOnPlateau(
            0.05, factor=0.5, patience=0, threshold=0.05, verbose=False
        )
        self.lr = paddle.optimizer.lr.LinearWarmup(
            self.plateau, warmup_steps=3, start_lr=0.005, end_lr=0.05
        )
        self.opt = paddle.optimizer.AdamW(
            self.lr,
            parameters=self.model.parameters(),
            weight_decay=0.01,
            grad_clip=nn.ClipGradByGlobalNorm(1.0),
            multi_precision=False,
        )
        self.scaler = paddle.amp.GradScaler(
            enable=True, init_loss_scaling=2.0**10, incr_every_n_steps=4
        )
        self.ema = EMA(self.model)
        self.sampler = SeededSampler(Curves(44), batch_size=4)
        self.loader = DataLoader(
            self.sampler.sampler.data_source,
            batch_sampler=self.sampler,
            collate_fn=collate_fn,
            num_workers=2,
        )
        self.test = DataLoader(Curves(16, seed=1), batch_size=8, collate_fn=collate_fn)
        self.epoch, self.iteration, self.best, self.bad = 0, 0, float("inf"), 0
        self.losses = []

    def train_step(self, batch, is_last):
        with paddle.amp.auto_cast(enable=False):
            loss = F.mse_loss(self.model(batch["x"], batch["mask"]), batch["y"])
        scaled = self.scaler.scale(loss / self.accumulate)
        scaled.backward()
        if is_last:
            self.scaler.unscale_(self.opt)
            norm = paddle.sqrt(
                sum(
                    (p.grad.astype("float32") ** 2).sum()
                    for p in self.model.parameters()
                    if p.grad is not None
                )
            )
            self.scaler.step(self.opt)
            self.scaler.update()
            self.opt.clear_grad(set_to_zero=False)
            self.ema.update(self.model)
            self.losses.append(loss.item())
            return norm.item()
        return None

    @paddle.no_grad()
    def evaluate(self):
        self.ema.apply(self.model)
        self.model.eval()
        total = count = 0
        for batch in self.test:
            error = F.l1_loss(self.model(batch["x"], batch["mask"]), batch["y"], reduction="sum")
            total += error.item()
            count += len(batch["id"])
        self.model.train()
        self.ema.restore(self.model)
        return total / count

    def save(self, name):
        os.makedirs(self.out, exist_ok=True)
        paddle.save(
            {
                "model": self.model.state_dict(),
                "opt": self.opt.state_dict(),
                "lr": self.lr.state_dict(),
                "scaler": self.scaler.state_dict(),
                "ema": self.ema.state_dict(),
                "epoch": self.epoch,
                "iteration": self.iteration,
                "best": self.best,
                "losses": self.losses,
                "rng": {"numpy": np.random.get_state(), "python": random.getstate()},
            },
            os.path.join(self.out, name),
        )

    def load(self, name):
        state = paddle.load(os.path.join(self.out, name))
        self.model.set_state_dict(state["model"])
        self.opt.set_state_dict(state["opt"])
        self.lr.set_state_dict(state["lr"])
        self.scaler.load_state_dict(state["scaler"])
        self.ema.set_state_dict(state["ema"])
        self.epoch, self.iteration = state["epoch"], state["iteration"]
        self.best, self.losses = state["best"], list(state["losses"])
        np.random.set_state(state["rng"]["numpy"])
        random.setstate(state["rng"]["python"])
        return self

    def fit(self, epochs, stop_at=None, quiet=False):
        while self.epoch < epochs:
            self.sampler.set_epoch(self.epoch, self.iteration)
            for batch in self.loader():
                self.iteration += 1
                norm = self.train_step(batch, self.iteration % self.accumulate == 0)
                if norm is not None and not quiet:
                    print(
                        "epoch %d it %d loss %.5f norm %.4f lr %.5f"
                        % (self.epoch, self.iteration, self.losses[-1], norm, self.opt.get_lr())
                    )
                if norm is not None and self.epoch == 0:
                    self.lr.step()
                if stop_at == (self.epoch, self.iteration):
                    self.save("last.pdckpt")
                    return self
            self.opt.clear_grad()
            error = self.evaluate()
            if self.epoch > 0:
                self.plateau.step(paddle.to_tensor([error]))
                self.lr.step()
            self.epoch, self.iteration = self.epoch + 1, 0
            if error < self.best:
                self.best, self.bad = error, 0
            else:
                self.bad += 1
            if not quiet:
                print(
                    "epoch %d error %.5f best %.5f lr %.5f"
                    % (self.epoch, error, self.best, self.opt.get_lr())
                )
            if self.bad >= 2:
                print("early stop")
                break
        return self


def main():
    with paddle.utils.unique_name.guard():
        whole = Trainer("run").fit(3)
    with paddle.utils.unique_name.guard():
        Trainer("run").fit(3, stop_at=(1, 4), quiet=True)
    with paddle.utils.unique_name.guard():
        resumed = Trainer("run").load("last.pdckpt").fit(3, quiet=True)
    print("bit-equal", whole.losses == resumed.losses, len(whole.losses))
    same = [
        bool((a.numpy() == b.numpy()).all())
        for a, b in zip(whole.ema.shadow.values(), resumed.ema.shadow.values())
    ]
    print(all(same), sorted(resumed.ema.shadow), sorted(whole.lr.state_dict()))


if __name__ == "__main__":
    main()
