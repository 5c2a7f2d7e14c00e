"""The programs that several libraries run: a chain of multiplications and one LeNet training step.

A program written against Paddle's names runs on jaxeager unchanged, so both run the same lines.
Each maker returns a function without arguments; weights and data come from one NumPy seed.
"""

import numpy as np

LENGTH = 50
BATCH = 64
RATE = 1e-3
# Name, shape, fan-in, in the order of the layers. Linear weights have Paddle's layout: [in, out].
WEIGHTS = (
    ("conv1.weight", (6, 1, 3, 3), 9),
    ("conv1.bias", (6,), 9),
    ("conv2.weight", (16, 6, 5, 5), 150),
    ("conv2.bias", (16,), 150),
    ("fc1.weight", (400, 120), 400),
    ("fc1.bias", (120,), 400),
    ("fc2.weight", (120, 84), 120),
    ("fc2.bias", (84,), 120),
    ("fc3.weight", (84, 10), 84),
    ("fc3.bias", (10,), 84),
)


def lenet_weights() -> dict[str, np.ndarray]:
    """Return the initial weights of every library."""
    rng = np.random.default_rng(7)
    return {
        name: rng.uniform(-1, 1, shape).astype("float32") / np.float32(np.sqrt(fan_in))
        for name, shape, fan_in in WEIGHTS
    }


def lenet_batch(size: int = BATCH) -> tuple[np.ndarray, np.ndarray]:
    """Return images of 28x28 and their labels."""
    rng = np.random.default_rng(8)
    images = rng.uniform(-1, 1, (size, 1, 28, 28)).astype("float32")
    return images, rng.integers(0, 10, size)


def paddle_chain(paddle, factor_grad: bool = False):
    """Return a function that runs the chain forward and backward and returns the gradient."""
    x = paddle.to_tensor(np.full((4, 4), 0.5, "float32"), stop_gradient=False)
    factor = paddle.to_tensor(np.full((4, 4), 1.01, "float32"), stop_gradient=not factor_grad)

    def run():
        x.clear_gradient(False)
        if factor_grad:
            factor.clear_gradient(False)
        y = x
        for _ in range(LENGTH):
            y = paddle.multiply(y, factor)
        y.sum().backward()
        return x.grad

    return run


def torch_chain(torch):
    """Return the chain for PyTorch."""
    x = torch.full((4, 4), 0.5, requires_grad=True)
    factor = torch.full((4, 4), 1.01)

    def run():
        x.grad = None
        y = x
        for _ in range(LENGTH):
            y = torch.mul(y, factor)
        y.sum().backward()
        return x.grad

    return run


def paddle_lenet_layers(paddle):
    """Return the network, with its weights, for a library with Paddle's names."""
    nn = paddle.nn
    model = nn.Sequential(
        ("conv1", nn.Conv2D(1, 6, 3, padding=1)),
        ("relu1", nn.ReLU()),
        ("pool1", nn.MaxPool2D(2, 2)),
        ("conv2", nn.Conv2D(6, 16, 5)),
        ("relu2", nn.ReLU()),
        ("pool2", nn.MaxPool2D(2, 2)),
        ("flat", nn.Flatten()),
        ("fc1", nn.Linear(400, 120)),
        ("fc2", nn.Linear(120, 84)),
        ("fc3", nn.Linear(84, 10)),
    )
    parameters = dict(model.named_parameters())
    for name, value in lenet_weights().items():
        parameters.pop(name).set_value(value)
    if parameters:
        raise RuntimeError(f"LeNet has parameters without a value: {sorted(parameters)}")
    return model


def paddle_lenet(paddle):
    """Return a training step for a library with Paddle's names; it returns the loss."""
    model = paddle_lenet_layers(paddle)
    adam = paddle.optimizer.Adam(RATE, parameters=model.parameters())
    images, labels = (paddle.to_tensor(array) for array in lenet_batch())

    def step():
        loss = paddle.nn.functional.cross_entropy(model(images), labels)
        loss.backward()
        adam.step()
        adam.clear_grad()
        return loss

    def weight():
        return model.fc3.weight.numpy()

    return step, weight


def torch_lenet_layers(torch):
    """Return the network, with its weights, for PyTorch."""
    nn = torch.nn
    layers = {
        "conv1": nn.Conv2d(1, 6, 3, padding=1),
        "relu1": nn.ReLU(),
        "pool1": nn.MaxPool2d(2, 2),
        "conv2": nn.Conv2d(6, 16, 5),
        "relu2": nn.ReLU(),
        "pool2": nn.MaxPool2d(2, 2),
        "flat": nn.Flatten(),
        "fc1": nn.Linear(400, 120),
        "fc2": nn.Linear(120, 84),
        "fc3": nn.Linear(84, 10),
    }
    model = nn.Sequential()
    for name, layer in layers.items():
        model.add_module(name, layer)
    parameters = dict(model.named_parameters())
    with torch.no_grad():
        for name, value in lenet_weights().items():
            lies_as_paddle = name.startswith("fc") and name.endswith("weight")
            parameters[name].copy_(torch.tensor(value.T if lies_as_paddle else value))
    return model


def torch_lenet(torch):
    """Return the training step for PyTorch."""
    model = torch_lenet_layers(torch)
    adam = torch.optim.Adam(model.parameters(), lr=RATE)
    images, labels = (torch.tensor(array) for array in lenet_batch())

    def step():
        loss = torch.nn.functional.cross_entropy(model(images), labels)
        loss.backward()
        adam.step()
        adam.zero_grad()
        return loss.detach()

    def weight():
        return model.fc3.weight.detach().cpu().numpy().T

    return step, weight
