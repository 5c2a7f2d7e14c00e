"""paddle.Model with many callbacks: plateau, checkpoints, schedules by epoch, accumulation, flops."""

import os

import numpy as np
import paddle
from paddle import nn
from paddle.callbacks import Callback, EarlyStopping, LRScheduler, ModelCheckpoint
from paddle.io import (
    ConcatDataset,
    DataLoader,
    Dataset,
    RandomSampler,
    WeightedRandomSampler,
    random_split,
)
from paddle.metric import Accuracy, Metric, Precision, Recall
from paddle.static import InputSpec


class Points(Dataset):
    def __init__(self, count, seed):
        rng = np.random.RandomState(seed)
        self.x = rng.normal(size=(count, 1, 8, 8)).astype("float32")
        self.y = (self.x[:, 0, :4].mean((1, 2)) > self.x[:, 0, 4:].mean((1, 2))).astype("int64")

    def __getitem__(self, i):
        return self.x[i], self.y[i : i + 1]

    def __len__(self):
        return len(self.x)


class MeanError(Metric):
    """The mean distance of the chance of the right class from 1."""

    def __init__(self, name="error"):
        super().__init__()
        self._name = name
        self.reset()

    def compute(self, pred, label):
        p = nn.functional.softmax(pred)
        return 1 - paddle.take_along_axis(p, label, axis=1)

    def update(self, error):
        self.total += float(np.sum(error))
        self.count += len(error)
        return self.total / self.count

    def reset(self):
        self.total, self.count = 0.0, 0

    def accumulate(self):
        return self.total / max(self.count, 1)

    def name(self):
        return self._name


class Log(Callback):
    def __init__(self):
        super().__init__()
        self.calls = {}

    def on_epoch_end(self, epoch, logs=None):
        logs = dict(logs or {})
        numbers = {
            k: np.round(np.ravel(v), 4).tolist()
            for k, v in sorted(logs.items())
            if k not in ("step", "batch_size")
        }
        print("epoch", epoch, numbers, "lr %.6f" % self.model._optimizer.get_lr())

    def on_train_batch_end(self, step, logs=None):
        self.calls["batch"] = self.calls.get("batch", 0) + 1

    def on_eval_begin(self, logs=None):
        self.calls["eval"] = self.calls.get("eval", 0) + 1
        print("eval of", logs.get("steps"), sorted(logs))

    def on_eval_end(self, logs=None):
        print(
            "eval",
            {
                k: np.round(np.ravel(v), 4).tolist()
                for k, v in sorted(logs.items())
                if k not in ("step", "batch_size")
            },
        )

    def on_train_end(self, logs=None):
        print("end", self.calls)


def network():
    net = nn.Sequential(
        nn.Conv2D(1, 4, 3, stride=2, padding=1, bias_attr=False),
        nn.BatchNorm2D(4),
        nn.LeakyReLU(),
        nn.MaxPool2D(2),
        nn.Flatten(1),
        nn.Linear(16, 2),
    )
    rng = np.random.RandomState(4)
    for p in net.parameters():
        if p.ndim > 1:
            p.set_value(rng.normal(0, 0.3, p.shape).astype("float32"))
    return net


def build(lr):
    model = paddle.Model(
        network(),
        InputSpec([None, 1, 8, 8], "float32", "image"),
        InputSpec([None, 1], "int64", "label"),
    )
    optimizer = paddle.optimizer.Adam(lr, parameters=model.parameters())
    model.prepare(optimizer, nn.CrossEntropyLoss(), [Accuracy(topk=(1, 2)), MeanError()])
    return model


train = ConcatDataset([Points(40, 0), Points(24, 1)])
test = Points(32, 2)
print("--- plateau")
model = build(0.05)
stop = EarlyStopping(monitor="acc_top1", mode="auto", patience=3, verbose=1, save_best_model=True)
model.fit(
    DataLoader(train, batch_size=16, num_workers=2, collate_fn=None),
    DataLoader(test, batch_size=16),
    epochs=5,
    verbose=0,
    callbacks=[Log(), stop, ModelCheckpoint(2, "ckpt")],
    save_dir="out",
    accumulate_grad_batches=2,
)
print(sorted(os.listdir("ckpt")), sorted(os.listdir("out")))
print("--- schedule by epoch, and num_iters")
schedule = paddle.optimizer.lr.MultiStepDecay(0.02, milestones=[1, 2], gamma=0.1)
model = build(schedule)
model.fit(
    train,
    test,
    batch_size=32,
    epochs=3,
    eval_freq=2,
    verbose=0,
    shuffle=False,
    drop_last=True,
    callbacks=[Log(), LRScheduler(by_step=False, by_epoch=True)],
)
model.fit(train, batch_size=16, epochs=4, verbose=0, shuffle=False, num_iters=6, callbacks=Log())
print("--- by hand")
x, y = paddle.to_tensor(test.x[:8]), paddle.to_tensor(test.y[:8, None])
losses, metrics = model.train_batch([x], [y], update=False)
losses2, metrics2 = model.train_batch([x], [y], update=True)
print(
    np.round(losses[0], 4),
    np.round(losses2[0], 4),
    [np.round(np.ravel(m), 4).tolist() for m in metrics2],
)
losses, metrics = model.eval_batch([x], [y])
print(np.round(losses[0], 4), len(metrics), model.predict_batch([x])[0].shape)
info = paddle.summary(network(), (2, 1, 8, 8), dtypes="float32")
print({name: int(count) for name, count in info.items()})
precision, recall = Precision(), Recall()
scores = nn.functional.softmax(model.network(paddle.to_tensor(test.x)))[:, 1]
for metric in (precision, recall):
    metric.update(scores, paddle.to_tensor(test.y))
    print(metric.name(), round(float(metric.accumulate()), 4))
np.random.seed(5)
paddle.seed(5)
parts = random_split(train, [50, 14])
print(
    [len(p) for p in parts],
    len(list(iter(WeightedRandomSampler([0.1, 0.9, 0.5], 6)))),
    len(RandomSampler(test)),
)
print(len(model.state_dict()) if hasattr(model, "state_dict") else "none", len(model.parameters()))
