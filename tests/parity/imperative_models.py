"""Models and batches of the programs about paddle.quantization.imperative."""

from importlib import import_module

EDGE = "a value at the edge of a step is rounded to either side, and a LeNet has thousands"


def room(paddle, name):
    """Return a module of paddle.quantization.imperative."""
    return import_module(f"{paddle.__name__}.quantization.imperative.{name}")


def fill(model, np):
    """Give the parameters numbers that are the same in both libraries."""
    rng = np.random.RandomState(3)
    for each in model.parameters():
        each.set_value(rng.uniform(-0.3, 0.3, each.shape).astype("float32"))
    return model


def images(paddle, np, count, size=28):
    """Yield batches whose values grow."""
    rng = np.random.RandomState(5)
    for number in range(count):
        x = rng.standard_normal([4, 1, size, size]) * (1.0 + number)
        yield paddle.to_tensor(x.astype("float32"))


def small(paddle, np):
    """Return a model of six layers with statistics of a BatchNorm2D, in evaluation."""
    nn = paddle.nn
    model = nn.Sequential(
        nn.Conv2D(1, 4, 3, padding=1), nn.BatchNorm2D(4), nn.ReLU(), nn.MaxPool2D(2, 2),
        nn.Flatten(), nn.Linear(64, 5),
    )  # fmt: skip
    fill(model, np)
    model[1]._mean.set_value(np.float32([0.1, 0.2, -0.5, 0.3]))
    model[1]._variance.set_value(np.float32([1.0, 2.0, 0.5, 1.5]))
    model.eval()
    return model


def outline(out, np):
    """Return the classes that outputs choose, and their mean size."""
    return [out.numpy().argmax(1).tolist(), float(np.abs(out.numpy()).mean())]


def layers(model):
    """Return the names and classes of the layers in a model."""
    return [[name, type(each).__name__] for name, each in model.named_sublayers()]


def kind(call):
    """Return the name of an error's class that both libraries have, or of the result's."""
    try:
        return type(call()).__name__
    except (AssertionError, TypeError, NotImplementedError) as error:
        kinds = (AssertionError, TypeError, NotImplementedError)
        return next(kind.__name__ for kind in kinds if isinstance(error, kind))
