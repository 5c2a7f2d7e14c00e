"""Models whose training step is timed: with Paddle's names, and with PyTorch's.

Each maker returns a function without arguments that runs one step, forward, backward, Adam, and
returns the loss. Data come from one NumPy seed; each library has its own weights, except for LeNet.
"""

import numpy as np

from .programs import RATE, lenet_batch, paddle_lenet_layers, torch_lenet_layers

TITLES = {
    "mlp": "MLP 64-128-10, batch 32",
    "lstm": "LSTM tagger, 16 texts of 20, 64 to 128",
    "gpt": "GPT, 4 layers of 128, 8 texts of 32",
    "encoder": "Transformer encoder, 2 layers of 256, 8 texts of 32",
    "resnet18": "ResNet-18, 8 images of 3x64x64",
    "mobilenet_v2": "MobileNetV2, 8 images of 3x64x64",
}
TITLES_WITH_LENET = {**TITLES, "lenet": "LeNet, 64 images of 28x28"}


def batch_of(name: str, size: int | None = None, length: int = 32) -> tuple[np.ndarray, np.ndarray]:
    """Return a model's inputs, and the correct classes.

    Args:
        name: the model.
        size: the batch size; that of TITLES by default.
        length: the length of a GPT's texts.
    """
    rng = np.random.default_rng(8)
    size = size or {"mlp": 32, "lstm": 16, "lenet": 64}.get(name, 8)
    if name == "lenet":
        return lenet_batch(size)
    if name == "mlp":
        return rng.random((size, 64), dtype="float32"), rng.integers(0, 10, size)
    if name == "lstm":
        return rng.integers(0, 200, (size, 20)), rng.integers(0, 12, size * 20)
    if name == "gpt":
        return rng.integers(0, 256, (size, length)), rng.integers(0, 256, size * length)
    if name == "encoder":
        return rng.random((size, 32, 256), dtype="float32"), rng.integers(0, 10, size)
    return rng.random((size, 3, 64, 64), dtype="float32"), rng.integers(0, 10, size)


# ---- Paddle's names


def paddle_model(paddle, name: str, size: int | None = None):
    """Return the training step of a model, for a library with Paddle's names."""
    _, train = paddle_training(paddle, name)
    inputs, labels = (paddle.to_tensor(array) for array in batch_of(name, size))
    return lambda: train(inputs, labels)


def paddle_static_model(paddle, name: str, full_graph: bool = True):
    """Return the training step of a model as one function marked with ``to_static``."""
    _, train = paddle_training(paddle, name)
    train = paddle.jit.to_static(train, full_graph=full_graph)
    inputs, labels = (paddle.to_tensor(array) for array in batch_of(name))
    return lambda: train(inputs, labels)


def paddle_static_forward(paddle, name: str):
    """Return the forward of a model for inference, marked with ``to_static``."""
    model, _ = paddle_training(paddle, name)
    model.eval()
    paddle.jit.to_static(model, full_graph=True)
    inputs = paddle.to_tensor(batch_of(name)[0])

    def forward():
        with paddle.no_grad():
            return model(inputs)

    return forward


def paddle_training(paddle, name: str) -> tuple:
    """Return a model, and the function of inputs and labels that runs its training step."""
    paddle.seed(0)
    makers = {"mlp": _mlp, "lstm": _lstm, "gpt": _gpt, "encoder": _encoder}
    makers["lenet"] = paddle_lenet_layers
    if name in makers:
        model = makers[name](paddle)
    else:
        model = getattr(paddle.vision.models, name)(num_classes=10)
    adam = paddle.optimizer.Adam(RATE, parameters=model.parameters())

    def train(inputs, labels):
        loss = paddle.nn.functional.cross_entropy(model(inputs), labels)
        loss.backward()
        adam.step()
        adam.clear_grad()
        return loss

    return model, train


def _mlp(paddle):
    nn = paddle.nn
    return nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))


def _lstm(paddle):
    nn = paddle.nn

    class Tagger(nn.Layer):
        def __init__(self):
            super().__init__()
            self.embedding = nn.Embedding(200, 64)
            self.lstm = nn.LSTM(64, 128)
            self.head = nn.Linear(128, 12)

        def forward(self, words):
            return self.head(self.lstm(self.embedding(words))[0]).reshape([-1, 12])

    return Tagger()


def _gpt(paddle):
    nn, softmax, gelu = paddle.nn, paddle.nn.functional.softmax, paddle.nn.functional.gelu
    width, heads, vocabulary = 128, 4, 256

    class Block(nn.Layer):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

        def forward(self, x, mask):
            batch, length, _ = x.shape
            qkv = self.qkv(self.norm1(x)).reshape([batch, length, 3 * heads, width // heads])
            q, k, v = paddle.split(qkv.transpose([0, 2, 1, 3]), 3, axis=1)
            scores = paddle.matmul(q, k, transpose_y=True) * (width // heads) ** -0.5 + mask
            seen = paddle.matmul(softmax(scores), v).transpose([0, 2, 1, 3])
            x = x + self.out(seen.reshape([batch, length, width]))
            return x + self.down(gelu(self.up(self.norm2(x))))

    class GPT(nn.Layer):
        def __init__(self):
            super().__init__()
            self.words, self.places = nn.Embedding(vocabulary, width), nn.Embedding(128, width)
            self.blocks = nn.LayerList([Block() for _ in range(4)])
            self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocabulary)

        def forward(self, words):
            length = words.shape[1]
            x = self.words(words) + self.places(paddle.arange(length))
            mask = paddle.triu(paddle.full([length, length], -1e9), 1)
            for block in self.blocks:
                x = block(x, mask)
            return self.head(self.norm(x)).reshape([-1, vocabulary])

    return GPT()


def _encoder(paddle):
    nn = paddle.nn

    class Encoder(nn.Layer):
        def __init__(self):
            super().__init__()
            layer = nn.TransformerEncoderLayer(256, 4, 1024, dropout=0.0)
            self.encoder, self.head = nn.TransformerEncoder(layer, 2), nn.Linear(256, 10)

        def forward(self, x):
            return self.head(self.encoder(x).mean(axis=1))

    return Encoder()


# ---- PyTorch's


def torch_model(torch, name: str, size: int | None = None):
    """Return the training step of a model for PyTorch; None if PyTorch has no such model."""
    torch.manual_seed(0)
    makers = {"mlp": _torch_mlp, "lstm": _torch_lstm, "gpt": _torch_gpt, "encoder": _torch_encoder}
    makers |= {"resnet18": _torch_resnet18, "lenet": torch_lenet_layers}
    if name not in makers:
        return None
    model = makers[name](torch)
    adam = torch.optim.Adam(model.parameters(), lr=RATE)
    inputs, labels = (torch.tensor(array) for array in batch_of(name, size))

    def step():
        loss = torch.nn.functional.cross_entropy(model(inputs), labels)
        loss.backward()
        adam.step()
        adam.zero_grad()
        return loss

    return step


def _torch_mlp(torch):
    nn = torch.nn
    return nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))


def _torch_lstm(torch):
    nn = torch.nn

    class Tagger(nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = nn.Embedding(200, 64)
            self.lstm = nn.LSTM(64, 128, batch_first=True)
            self.head = nn.Linear(128, 12)

        def forward(self, words):
            return self.head(self.lstm(self.embedding(words))[0]).reshape(-1, 12)

    return Tagger()


def _torch_gpt(torch):
    nn = torch.nn
    width, heads, vocabulary = 128, 4, 256

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

        def forward(self, x, mask):
            batch, length, _ = x.shape
            qkv = self.qkv(self.norm1(x)).reshape(batch, length, 3 * heads, width // heads)
            q, k, v = qkv.transpose(1, 2).chunk(3, 1)
            scores = q @ k.transpose(2, 3) * (width // heads) ** -0.5 + mask
            seen = (scores.softmax(-1) @ v).transpose(1, 2)
            x = x + self.out(seen.reshape(batch, length, width))
            return x + self.down(nn.functional.gelu(self.up(self.norm2(x))))

    class GPT(nn.Module):
        def __init__(self):
            super().__init__()
            self.words, self.places = nn.Embedding(vocabulary, width), nn.Embedding(128, width)
            self.blocks = nn.ModuleList([Block() for _ in range(4)])
            self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocabulary)

        def forward(self, words):
            length = words.shape[1]
            x = self.words(words) + self.places(torch.arange(length))
            mask = torch.full((length, length), -1e9).triu(1)
            for block in self.blocks:
                x = block(x, mask)
            return self.head(self.norm(x)).reshape(-1, vocabulary)

    return GPT()


def _torch_encoder(torch):
    nn = torch.nn

    class Encoder(nn.Module):
        def __init__(self):
            super().__init__()
            layer = nn.TransformerEncoderLayer(256, 4, 1024, dropout=0.0, batch_first=True)
            self.encoder, self.head = nn.TransformerEncoder(layer, 2), nn.Linear(256, 10)

        def forward(self, x):
            return self.head(self.encoder(x).mean(1))

    return Encoder()


def _torch_resnet18(torch):
    nn, relu = torch.nn, torch.nn.functional.relu

    class Block(nn.Module):
        def __init__(self, channels, wider, stride):
            super().__init__()
            self.conv1 = nn.Conv2d(channels, wider, 3, stride, 1, bias=False)
            self.conv2 = nn.Conv2d(wider, wider, 3, 1, 1, bias=False)
            self.norm1, self.norm2 = nn.BatchNorm2d(wider), nn.BatchNorm2d(wider)
            self.shortcut = nn.Identity()
            if channels != wider:
                conv = nn.Conv2d(channels, wider, 1, stride, bias=False)
                self.shortcut = nn.Sequential(conv, nn.BatchNorm2d(wider))

        def forward(self, x):
            inner = self.norm2(self.conv2(relu(self.norm1(self.conv1(x)))))
            return relu(inner + self.shortcut(x))

    stages = []
    for before, after in ((64, 64), (64, 128), (128, 256), (256, 512)):
        stages += [Block(before, after, 1 if before == after else 2), Block(after, after, 1)]
    first = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU()]
    last = [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 10)]
    return nn.Sequential(*first, nn.MaxPool2d(3, 2, 1), *stages, *last)
