"""paddle.Model: prepare, fit with callbacks, evaluate, predict, save and load."""

import numpy as np
import paddle
from paddle.metric import Accuracy
from paddle.static import InputSpec
from paddle.vision.transforms import Compose, Normalize, Transpose


class Stripes(paddle.io.Dataset):
    """Small pictures with stripes across or along, and which."""

    def __init__(self, mode, transform=None):
        self.transform = transform
        rng = np.random.RandomState(0 if mode == "train" else 1)
        count = 96 if mode == "train" else 32
        self.labels = rng.randint(0, 2, (count, 1)).astype("int64")
        pictures = rng.uniform(0, 60, (count, 12, 12, 1))
        for picture, label in zip(pictures, self.labels):
            if label[0]:
                picture[::3] += 160
            else:
                picture[:, ::3] += 160
        self.pictures = pictures.astype("float32")

    def __getitem__(self, index):
        picture = self.pictures[index]
        if self.transform is not None:
            picture = self.transform(picture)
        return picture, self.labels[index]

    def __len__(self):
        return len(self.labels)


class Report(paddle.callbacks.Callback):
    def on_train_begin(self, logs=None):
        print("begin", self.params["epochs"], self.params["steps"], sorted(self.params["metrics"]))

    def on_epoch_end(self, epoch, logs=None):
        print(f"epoch {epoch} loss {logs['loss'][0]:.5f} acc {logs['acc']:.4f}")

    def on_eval_end(self, logs=None):
        print(f"eval loss {logs['loss'][0]:.5f} acc {logs['acc']:.4f}")


def network():
    rng = np.random.RandomState(3)
    net = paddle.nn.Sequential(
        paddle.nn.Conv2D(1, 4, 3, padding=1),
        paddle.nn.BatchNorm2D(4),
        paddle.nn.ReLU(),
        paddle.nn.MaxPool2D(2, 2),
        paddle.nn.Flatten(),
        paddle.nn.Linear(144, 2),
    )
    for name, parameter in net.named_parameters():
        if parameter.ndim > 1:
            parameter.set_value(rng.normal(0, 0.1, parameter.shape).astype("float32"))
    return net


transform = Compose([Normalize(mean=[127.5], std=[127.5], data_format="HWC"), Transpose()])
train, test = Stripes("train", transform), Stripes("test", transform)
model = paddle.Model(
    network(), [InputSpec([None, 1, 12, 12], "float32", "x")], [InputSpec([None, 1], "int64", "y")]
)
scheduler = paddle.optimizer.lr.PiecewiseDecay([6, 12], [0.05, 0.02, 0.01])
model.prepare(
    paddle.optimizer.Momentum(
        learning_rate=scheduler, momentum=0.9, parameters=model.parameters(), weight_decay=1e-3
    ),
    paddle.nn.CrossEntropyLoss(),
    Accuracy(),
)
stop = paddle.callbacks.EarlyStopping("loss", patience=2, verbose=0, save_best_model=False)
model.fit(
    train,
    test,
    batch_size=16,
    epochs=3,
    verbose=0,
    shuffle=False,
    callbacks=[Report(), stop],
    save_dir="saved",
    save_freq=2,
)
result = model.evaluate(test, batch_size=16, verbose=0)
print({key: np.round(value, 5).tolist() for key, value in result.items()})
(outputs,) = model.predict(test, batch_size=16, stack_outputs=True, verbose=0)
print(outputs.shape, f"{np.abs(outputs).sum():.4f}")
model.save("saved/mine")
other = paddle.Model(
    network(), [InputSpec([None, 1, 12, 12], "float32", "x")], [InputSpec([None, 1], "int64", "y")]
)
other.prepare(loss=paddle.nn.CrossEntropyLoss(), metrics=Accuracy())
other.load("saved/mine")
print(np.allclose(other.predict_batch([test[0][0][None]])[0], outputs[:1], atol=1e-5))
print(model.summary((1, 1, 12, 12))["trainable_params"])
