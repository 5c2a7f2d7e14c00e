"""The programs that several libraries run: a chain of multiplications and one LeNet training step.

A program written against Paddle's names runs on jaxeager unchanged, so both run the same lines.
Each maker returns a function without arguments; weights and data come from one NumPy seed.
"""

import numpy as np

LENGTH = 50
BATCH = 64
RATE = 1e-3
# Name, shape, fan-in, in the order of the layers. Linear weights lie as Paddle's do: [in, out].
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
    """Returns the weights every library starts from."""
    rng = np.random.default_rng(7)
    return {
        name: rng.uniform(-1, 1, shape).astype("float32") / np.float32(np.sqrt(fan_in))
        for name, shape, fan_in in WEIGHTS
    }


def lenet_batch() -> tuple[np.ndarray, np.ndarray]:
    """Returns 64 images of 28x28 and their labels."""
    rng = np.random.default_rng(8)
    images = rng.uniform(-1, 1, (BATCH, 1, 28, 28)).astype("float32")
    return images, rng.integers(0, 10, BATCH)


def paddle_chain(paddle, factor_grad: bool = False):
    """Returns a function that runs the chain forward and backward and returns the gradient."""
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
    """Returns the chain for PyTorch."""
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


def paddle_lenet(paddle):
    """Returns a training step for a library with Paddle's names; it returns the loss."""
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
    adam = paddle.optimizer.Adam(RATE, parameters=model.parameters())
    images, labels = (paddle.to_tensor(array) for array in lenet_batch())

    def step():
        loss = nn.functional.cross_entropy(model(images), labels)
        loss.backward()
        adam.step()
        adam.clear_grad()
        return loss

    def weight():
        return model.fc3.weight.numpy()

    return step, weight


def torch_lenet(torch):
    """Returns the training step for PyTorch."""
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
            parameters[name].copy_(torch.from_numpy(value.T.copy() if lies_as_paddle else value))
    adam = torch.optim.Adam(model.parameters(), lr=RATE)
    images, labels = (torch.from_numpy(array) for array in lenet_batch())

    def step():
        loss = nn.functional.cross_entropy(model(images), labels)
        loss.backward()
        adam.step()
        adam.zero_grad()
        return loss.detach()

    def weight():
        return layers["fc3"].weight.detach().numpy().T

    return step, weight


def jax_lenet(jax):
    """Returns the training step as one jitted JAX function, Adam included."""
    jnp = jax.numpy
    images, labels = (jnp.asarray(array) for array in lenet_batch())

    def conv(x, weight, bias, padding):
        out = jax.lax.conv_general_dilated(x, weight, (1, 1), [(padding, padding)] * 2)
        return out + bias[:, None, None]

    def pool(x):
        return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")

    def loss_of(p, images, labels):
        x = pool(jax.nn.relu(conv(images, p["conv1.weight"], p["conv1.bias"], 1)))
        x = pool(jax.nn.relu(conv(x, p["conv2.weight"], p["conv2.bias"], 0)))
        x = x.reshape(BATCH, 400)
        for name in ("fc1", "fc2", "fc3"):
            x = x @ p[f"{name}.weight"] + p[f"{name}.bias"]
        picked = jnp.take_along_axis(jax.nn.log_softmax(x), labels[:, None], axis=1)
        return -picked.mean()

    def adam(p, grad, first, second, count):
        first = 0.9 * first + 0.1 * grad
        second = 0.999 * second + 0.001 * grad * grad
        scale = RATE * jnp.sqrt(1 - 0.999**count) / (1 - 0.9**count)
        root = jnp.sqrt(second) + 1e-8 * jnp.sqrt(1 - 0.999**count)
        return p - scale * first / root, first, second

    def update(state, images, labels):
        p, first, second, count = state
        count = count + 1
        loss, grads = jax.value_and_grad(loss_of)(p, images, labels)
        new = {name: adam(p[name], grads[name], first[name], second[name], count) for name in p}
        first, second, p = ({n: three[i] for n, three in new.items()} for i in (1, 2, 0))
        return (p, first, second, count), loss

    jitted = jax.jit(update, donate_argnums=0)
    weights = {name: jnp.asarray(value) for name, value in lenet_weights().items()}
    zeros = [{name: jnp.zeros_like(value) for name, value in weights.items()} for _ in range(2)]
    state = (weights, *zeros, jnp.zeros((), jnp.float32))

    def step():
        nonlocal state
        state, loss = jitted(state, images, labels)
        return loss

    def weight():
        return np.asarray(state[0]["fc3.weight"])

    return step, weight
