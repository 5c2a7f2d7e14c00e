"""save and load: what comes back, and files that cross from one library to the other."""

import argparse
import tempfile
from pathlib import Path

from ..probe import attempt, error_of, facts, leaf
from ..registry import exchange, program


def _network(paddle, np):
    """Returns a small network with weights that are always the same."""
    nn = paddle.nn
    net = nn.Sequential(
        nn.Conv2D(1, 2, 3), nn.BatchNorm2D(2), nn.ReLU(), nn.Flatten(), nn.Linear(8, 3)
    )
    r = np.random.default_rng(91)
    for parameter in net.parameters():
        parameter.set_value(np.abs(r.normal(size=parameter.shape)).astype("float32"))
    return net


def _image(paddle, np):
    return paddle.to_tensor(np.random.default_rng(92).normal(size=(2, 1, 4, 4)).astype("float32"))


def _step(paddle, np, net, optimizer):
    """Returns the loss of one step."""
    loss = paddle.nn.functional.cross_entropy(net(_image(paddle, np)), paddle.to_tensor([0, 2]))
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
    return loss.numpy()


@program
def saved_and_loaded(paddle, np):
    """Tensors, numbers and containers come back; as tensors or, when asked, as arrays."""
    kept = {
        "tensor": paddle.to_tensor([1.0, 2.0]),
        "leaf": leaf(paddle, [3.0]),
        "0-D": paddle.to_tensor(4),
        "list": [paddle.ones([2], dtype="int64"), 3, "text"],
        "nested": {"a": paddle.zeros([1, 2]), "b": None, "c": (1.5, True)},
        "number": 2.5,
    }
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "deep" / "thing.pdparams")
        paddle.save(kept, path)
        back = paddle.load(path)
        arrays = paddle.load(path, return_numpy=True)
        missing = attempt(lambda: paddle.load(str(Path(folder) / "nothing")))["error"]
    return {
        "keys": list(back),
        "tensor": [facts(back["tensor"]), back["tensor"].numpy()],
        "leaf": facts(back["leaf"]),
        "0-D": back["0-D"].numpy(),
        "list": [back["list"][0].numpy(), back["list"][1:]],
        "nested": [back["nested"]["a"].numpy(), back["nested"]["b"], back["nested"]["c"]],
        "number": back["number"],
        "arrays": [arrays["tensor"], type(arrays["tensor"]).__name__],
        "missing": missing,
    }


@program
def saving_a_network(paddle, np):
    """A network and its optimizer saved, loaded into new ones, give the same."""
    net = _network(paddle, np)
    optimizer = paddle.optimizer.Adam(0.01, parameters=net.parameters())
    _step(paddle, np, net, optimizer)
    with tempfile.TemporaryDirectory() as folder:
        paddle.save(net.state_dict(), str(Path(folder) / "net.pdparams"))
        paddle.save(optimizer.state_dict(), str(Path(folder) / "net.pdopt"))
        other = _network(paddle, np)
        missing, unknown = other.set_state_dict(paddle.load(str(Path(folder) / "net.pdparams")))
        state = paddle.load(str(Path(folder) / "net.pdopt"))
    net.eval()
    other.eval()
    same = bool((net(_image(paddle, np)).numpy() == other(_image(paddle, np)).numpy()).all())
    return [same, missing, unknown, len(state)]


def write_a_network(paddle, np, folder):
    """Saves a trained network's parameters."""
    net = _network(paddle, np)
    optimizer = paddle.optimizer.Momentum(0.01, parameters=net.parameters())
    for _ in range(3):
        _step(paddle, np, net, optimizer)
    paddle.save(net.state_dict(), str(folder / "net.pdparams"))


@exchange(write_a_network)
def read_a_network(paddle, np, folder):
    """Loads the parameters into a new network and runs it."""
    state = paddle.load(str(folder / "net.pdparams"))
    net = _network(paddle, np)
    missing, unknown = net.set_state_dict(state)
    net.eval()
    return {
        "keys": list(state),
        "flags": [facts(v) for v in state.values()][:2],
        "missing": [missing, unknown],
        "output": np.round(net(_image(paddle, np)).numpy(), 3),
    }


def write_every_dtype(paddle, np, folder):
    """Saves tensors of every dtype and shape, and plain values."""
    kinds = "bool uint8 int8 int16 int32 int64 float16 float32 float64 complex64 complex128".split()
    things = {kind: paddle.to_tensor(np.array([[0, 1, 2]]), dtype=kind) for kind in kinds}
    things["zero-size"] = paddle.zeros([0, 3])
    things["0-D"] = paddle.to_tensor(2.5)
    things["plain"] = {"epoch": 3, "rate": 0.1, "name": "run", "list": [1, 2, [paddle.ones([1])]]}
    paddle.save(things, str(folder / "things.pd"))


@exchange(write_every_dtype)
def read_every_dtype(paddle, np, folder):
    """Loads them back."""
    things = paddle.load(str(folder / "things.pd"))
    plain = things.pop("plain")
    plain["list"][2][0] = plain["list"][2][0].numpy()
    return {"plain": plain, **{k: [str(v.dtype), v.numpy()] for k, v in things.items()}}


def write_bfloat16(paddle, np, folder):
    """Saves a bfloat16 tensor."""
    paddle.save({"x": paddle.to_tensor([1.5, 2.0], dtype="bfloat16")}, str(folder / "b.pd"))


@exchange(write_bfloat16)
def read_bfloat16(paddle, np, folder):
    """Loads it back, whatever form it has in the file."""
    x = paddle.load(str(folder / "b.pd"))["x"]
    return [str(x.dtype), list(x.shape)]


def write_an_optimizer(paddle, np, folder):
    """Saves an Adam's state with a schedule's."""
    weight = paddle.create_parameter(
        [2], "float32", name="the_weight", default_initializer=paddle.nn.initializer.Constant(1.0)
    )
    scheduler = paddle.optimizer.lr.StepDecay(0.1, step_size=1)
    optimizer = paddle.optimizer.Adam(scheduler, parameters=[weight])
    for _ in range(2):
        (weight * weight).sum().backward()
        optimizer.step()
        optimizer.clear_grad()
        scheduler.step()
    paddle.save(optimizer.state_dict(), str(folder / "run.pdopt"))


@exchange(write_an_optimizer)
def read_an_optimizer(paddle, np, folder):
    """Reads the state's names and values."""
    state = paddle.load(str(folder / "run.pdopt"))
    schedule = state.pop("LR_Scheduler")
    return {
        "names": sorted(key.rsplit("_", 1)[0] for key in state),
        "values": [np.round(state[key].numpy(), 5) for key in sorted(state)],
        "schedule": [schedule["last_epoch"], round(schedule["last_lr"], 6)],
    }


def write_with_an_old_protocol(paddle, np, folder):
    """Saves with each pickle protocol that Paddle takes."""
    for protocol in (2, 3, 4):
        paddle.save({"x": paddle.ones([3])}, str(folder / f"{protocol}.pd"), protocol=protocol)


@exchange(write_with_an_old_protocol)
def read_with_an_old_protocol(paddle, np, folder):
    """Loads them back."""
    return [paddle.load(str(folder / f"{protocol}.pd"))["x"].numpy() for protocol in (2, 3, 4)]


def write_a_checkpoint(paddle, np, folder):
    """Saves what a long run keeps: states in a dict, and the arguments of the program."""
    paddle.seed(3)
    weight = paddle.create_parameter(
        [2, 2], "float32", name="kept", default_initializer=paddle.nn.initializer.Constant(1.0)
    )
    schedule = paddle.optimizer.lr.LinearWarmup(
        paddle.optimizer.lr.CosineAnnealingDecay(0.1, 10), 2, 0.0, 0.1
    )
    optimizer = paddle.optimizer.AdamW(schedule, parameters=[weight], multi_precision=True)
    scaler = paddle.amp.GradScaler(init_loss_scaling=512.0)
    (weight * weight).sum().backward()
    optimizer.step()
    schedule.step()
    checkpoint = {
        "model": {"w": weight, "half": paddle.to_tensor([1.5], dtype="float16")},
        "ema": [{"w": weight * 2}, 0.99],
        "optimizer": optimizer.state_dict(),
        "schedule": schedule.state_dict(),
        "scaler": scaler.state_dict(),
        "low": (paddle.to_tensor([1.5, -2.0], dtype="bfloat16"), None),
        "complex": {"z": paddle.to_tensor([1 + 2j])},
        "args": argparse.Namespace(lr=0.1, sizes=[2, 2], name="run", more=None),
        "random": {"numpy": np.random.RandomState(1).get_state()},
        "best": float("inf"),
        "steps": [1, (2, {"a": 3})],
        "history": np.arange(3.0),
        "scale": np.float32(0.5),
        7: True,
    }
    for protocol in (2, 4):
        paddle.save(checkpoint, str(folder / f"{protocol}.ckpt"), protocol=protocol)


def _told(value):
    """Returns a tensor's dtype and numbers, and the rest of a checkpoint as it is."""
    if isinstance(value, dict):
        return {key: _told(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [type(value).__name__, *map(_told, value)]
    if hasattr(value, "stop_gradient"):
        dtype = str(value.dtype)
        return [dtype, (value.astype("float32") if dtype.endswith("float16") else value).numpy()]
    return vars(value) if isinstance(value, argparse.Namespace) else value


@exchange(write_a_checkpoint)
def read_a_checkpoint(paddle, np, folder):
    """Loads it back, and as arrays."""
    found = []
    for protocol in (2, 4):
        checkpoint = paddle.load(str(folder / f"{protocol}.ckpt"))
        checkpoint.pop("scaler")  # Paddle has none on a CPU
        told = _told(checkpoint)
        told["optimizer"] = sorted(told["optimizer"].items())
        arrays = paddle.load(str(folder / f"{protocol}.ckpt"), return_numpy=True)
        found.append([told, arrays["model"]["w"], arrays["low"][0].dtype.name])
    return found


def write_a_tensor_alone(paddle, np, folder):
    """Saves a tensor and a list, not in a dict."""
    paddle.save(paddle.to_tensor(np.float32([1.0, 2.0])), str(folder / "tensor.pd"))
    paddle.save([paddle.ones([2]), 5], str(folder / "list.pd"))


@exchange(write_a_tensor_alone)
def read_a_tensor_alone(paddle, np, folder):
    """Loads them back."""
    x, values = paddle.load(str(folder / "tensor.pd")), paddle.load(str(folder / "list.pd"))
    return [x.numpy(), type(values).__name__, values[0].numpy(), values[1]]


@program
def layers_that_rename_their_keys(paddle, np):
    """A subclass may rename keys in state_dict and set_state_dict: loading asks neither."""

    class Renamed(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.w = self.create_parameter([2])

        def state_dict(self, *args, **kwargs):
            return {"new": super().state_dict(*args, **kwargs)["w"]}

        def set_state_dict(self, state, *args, **kwargs):
            return super().set_state_dict({"w": state["new"]}, *args, **kwargs)

    class Outer(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.inner, self.last = Renamed(), paddle.nn.Linear(2, 1)

    out = []
    for kind in (Renamed, Outer):
        first, second = kind(), kind()
        with paddle.no_grad():
            for number, parameter in enumerate(first.parameters()):
                parameter.set_value(paddle.full(parameter.shape, float(number + 1)))
        state = first.state_dict()
        found = second.set_state_dict(state)
        out.append([sorted(state), found, [p.numpy() for p in second.parameters()]])
    return out


@program
def state_dicts_as_pytorch_writes_them(paddle, np):
    """Text as the second argument, or prefix=, has PyTorch's parameters: tensors are detached."""
    layer = paddle.nn.Linear(1, 1)

    def seen(*args, **kwargs):
        state = layer.state_dict(*args, **kwargs)
        return {name: [t is layer.weight or t is layer.bias, t.stop_gradient]
                for name, t in state.items()}  # fmt: skip

    return [
        seen(), seen(None, "p."), seen(None, "p.", True), seen(None, "p.", False),
        seen(prefix="q."), seen(prefix="q.", keep_vars=True), seen({}, prefix="a."),
        seen(None, "a.", keep_vars=True), seen(keep_vars=False), seen(None, True, "n."),
        error_of(lambda: layer.state_dict(None, "a.", prefix="b.")),
        error_of(lambda: layer.state_dict(None, True, "a.", prefix="b.")),
    ]  # fmt: skip


@program
def saving_in_binary_form(paddle, np):
    """The bytes of a file of one tensor, what is read back, and what is refused."""
    import io

    tensors = {
        "float32": paddle.to_tensor([[1.0, -2.0, 3.0]]),
        "0-D": paddle.to_tensor(3),
        "bool": paddle.to_tensor([True, False]),
        "empty": paddle.zeros([0, 2], "float64"),
        "bfloat16": paddle.ones([2], "bfloat16"),
        "complex64": paddle.to_tensor([1 + 2j]),
        "long": paddle.zeros([200], "uint8"),
    }
    found = {}
    for key, tensor in tensors.items():
        file = io.BytesIO()
        paddle.save(tensor, file, use_binary_format=True)
        data = file.getvalue()
        read = paddle.load(io.BytesIO(data))
        array = paddle.load(io.BytesIO(data), return_numpy=True)
        found[key] = [
            data.hex(), str(read.dtype), list(read.shape), read.stop_gradient, str(array.dtype)
        ]  # fmt: skip

    def refused(other, flag=True):
        return error_of(lambda: paddle.save(other, io.BytesIO(), use_binary_format=flag))

    refusals = [refused(other) for other in (3, {"a": tensors["bool"]}, np.ones(2))]
    return {**found, "refused": [*refusals, refused(3, flag=3)]}
