"""Attributes that tools read: of marked functions, loaded layers, loaders and recurrent layers."""

import tempfile
from pathlib import Path

from ..probe import array, attempt, error_of
from ..registry import program


def described(paddle):
    def scaled(x, factor=2.0, *more, k=3, **rest):
        return x * factor

    class Net(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.linear = paddle.nn.Linear(2, 2)

        def forward(self, x, z=None):
            return self.linear(x)

        @paddle.jit.to_static(full_graph=True)
        def marked(self, x, z=None):
            return x

    spec = [paddle.static.InputSpec([None, 2], name="x")]
    whole = {"full_graph": True}
    net = Net()
    scaled = paddle.jit.to_static(scaled, input_spec=spec, **whole)
    return [scaled, paddle.jit.to_static(net, **whole).forward, net.marked], net


@program
def signatures_of_marked_functions(paddle, np):
    seen = []
    functions, _net = described(paddle)
    for function in functions:
        spec = function.function_spec
        flat = spec.flat_input_spec
        seen.append(
            {
                "class": type(spec).__name__,
                "text": str(spec),
                "names": spec.args_name,
                "input_spec": str(spec.input_spec),
                "flat": None if flat is None else [str(each) for each in flat],
                "code": spec.code.split("(")[0].strip(),
                "is its function": spec.dygraph_function.__name__,
            }
        )
    unified = functions[0].function_spec.unified_args_and_kwargs
    return seen, [list(part) for part in unified((1,), {})], error_of(lambda: unified((), {}))


@program
def inputs_and_outputs_of_a_program(paddle, np):
    def scaled(x):
        return x * 2

    scaled = paddle.jit.to_static(scaled, input_spec=[paddle.static.InputSpec([3, 2], name="x")],
                                  full_graph=True)  # fmt: skip
    values = array(scaled(paddle.ones([3, 2])))
    specs = [*scaled.inputs, *scaled.outputs]
    return values, [[list(each.shape), str(each.dtype).split(".")[-1].lower()] for each in specs]


@program
def specs_of_a_loaded_layer(paddle, np):
    class Net(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.linear = paddle.nn.Linear(2, 3)

        def forward(self, a, b):
            return self.linear(a), b + 1

    specs = [
        paddle.static.InputSpec([None, 2], name="x"),
        paddle.static.InputSpec([4], "int64", name="y"),
    ]
    with tempfile.TemporaryDirectory() as folder:
        paddle.jit.save(Net(), str(Path(folder) / "net"), input_spec=specs)
        loaded = paddle.jit.load(str(Path(folder) / "net"))
    return (
        [str(each) for each in loaded._input_spec()],
        [[list(each.shape), str(each.dtype)] for each in loaded._output_spec("forward")],
        isinstance(attempt(lambda: loaded._input_spec("other")), dict),
    )


@program
def settings_of_a_loader(paddle, np):
    dataset = paddle.io.TensorDataset([paddle.to_tensor([[1.0], [2.0]])])
    loaders = [paddle.io.DataLoader(dataset, num_workers=count) for count in (0, 1)]
    names = "pin_memory feed_list use_shared_memory num_workers dataset_kind return_list".split()
    return [[getattr(loader, name) for name in names] for loader in loaders]


@program
def layers_that_could_use_cudnn(paddle, np):
    nn = paddle.nn
    layers = [
        nn.LSTM(2, 3),
        nn.GRU(2, 3, bias_ih_attr=False),
        nn.SimpleRNN(2, 3),
        nn.RNN(nn.GRUCell(2, 3)),
    ]
    return [getattr(layer, "could_use_cudnn", None) for layer in layers]
