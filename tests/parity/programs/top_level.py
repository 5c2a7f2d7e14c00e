"""Names of the top level, of paddle.device, paddle.utils and paddle.version."""

import warnings

from ..probe import attempt, facts, leaf, refuses
from ..registry import differs, program


@program
def tensors_from_elsewhere(paddle, np):
    """as_tensor, asarray and from_numpy: values, dtypes, gradients, copies, errors."""
    array = np.ones(3, "float32")
    made = [paddle.as_tensor(array), paddle.asarray(array), paddle.from_numpy(array)]
    array[0] = 7.0
    x = leaf(paddle, [1.0, 2.0])
    again = [paddle.asarray(x), paddle.asarray(x, copy=True), paddle.asarray(x, copy=False)]
    again[0][0] = 9.0
    return {
        "copies": [each.numpy() for each in made],
        "facts": [
            facts(paddle.as_tensor([1.0, 2.0])),
            facts(paddle.as_tensor([1, 2], "float64", "cpu")),
            facts(paddle.asarray(3.5, dtype="int32")),
            facts(paddle.from_numpy(np.arange(6).reshape(2, 3).T)),
        ],
        "wanted": [
            paddle.as_tensor([1.0], requires_grad=True).stop_gradient,
            paddle.asarray([1.0], requires_grad=True).stop_gradient,
            paddle.asarray(x).stop_gradient,
        ],
        "of tensors": [again[0].numpy(), again[1].numpy(), again[2].numpy(), x.numpy()],
        "no array": refuses(lambda: paddle.from_numpy([1, 2]))["error"],
    }


@program
def dlpack_both_ways(paddle, np):
    """Capsules, objects, what is consumed, what is refused."""
    x = paddle.to_tensor([1.0, 2.0])
    capsule = paddle.to_dlpack(x)
    taken = paddle.from_dlpack(capsule)
    array = np.arange(3, dtype="float32")
    copied = paddle.from_dlpack(array, copy=True)
    array[0] = 7.0
    return {
        "capsule": [type(capsule).__name__, taken.numpy()],
        "twice": refuses(lambda: paddle.from_dlpack(capsule)),
        "tensor": paddle.from_dlpack(x).numpy(),
        "numpy": [copied.numpy(), np.from_dlpack(x)],
        "device": paddle.from_dlpack(array, device="cpu").numpy(),
        "utils": paddle.utils.dlpack.from_dlpack(paddle.utils.dlpack.to_dlpack(x)).numpy(),
        "no tensor": refuses(lambda: paddle.to_dlpack([1]))["error"],
        "a number": refuses(lambda: paddle.from_dlpack(3)),
        "wanted": attempt(lambda: leaf(paddle, [1.0]).__dlpack__()),
        "kind": int(x.__dlpack_device__()[0]),
    }


@program
def new_tensors_with_further_keywords(paddle, np):
    """out, device, requires_grad and pin_memory of what makes tensors."""
    makers = {
        "zeros": lambda **k: paddle.zeros([2], **k),
        "ones": lambda **k: paddle.ones([2], "float32", **k),
        "full": lambda **k: paddle.full([2], 1.5, **k),
        "arange": lambda **k: paddle.arange(0, 3, 1, "float32", **k),
        "eye": lambda **k: paddle.eye(2, **k),
    }
    like = {
        "zeros_like": lambda **k: paddle.zeros_like(paddle.ones([2]), **k),
        "full_like": lambda **k: paddle.full_like(paddle.ones([2]), 3.0, **k),
    }
    out = {}
    for name, make in {**makers, **like}.items():
        made = [make(device="cpu"), make(requires_grad=True)]
        out[name] = [[facts(each), each.numpy()] for each in made]
        out[name].append(attempt(lambda make=make: make(device="cpu", pin_memory=True)))
    for name, make in makers.items():
        target = paddle.ones([1])
        make(out=target)
        out[name].append([facts(target), target.numpy()])
    draws = [paddle.rand([2], device="cpu"), paddle.randn([2], requires_grad=True)]
    draws += [paddle.randperm(3, device="cpu"), paddle.uniform([2], requires_grad=True)]
    draws += [paddle.linspace(0, 1, 3, requires_grad=True)]
    out["draws"] = [facts(each) for each in draws]
    return out


@program
def ranges_with_their_end(paddle, np):
    """range: the end is one of the numbers, and the dtype is floating."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = [paddle.range(1, 5, 1), paddle.range(5), paddle.range(0.0, 1.0, 0.25)]
        made += [paddle.range(5, 0, -2), paddle.range(0, 4, 1, "int64")]
        made += [paddle.range(paddle.to_tensor(1), paddle.to_tensor(3))]
        made += [paddle.range(1.0, 2.0, requires_grad=True)]
        return {
            "values": [[facts(each), each.numpy()] for each in made],
            "no step": refuses(lambda: paddle.range(0, 5, 0)),
        }


@program
def modes_of_the_framework(paddle, np):
    """Dynamic mode, and functions that leave it as it is."""
    return [
        paddle.in_dynamic_mode(),
        paddle.disable_static(),
        paddle.disable_static("cpu"),
        paddle.disable_signal_handler(),
        paddle.in_dynamic_mode(),
        paddle.get_device(),
        paddle.get_device(paddle.ones([1])),
    ]


@program
def batches_of_a_reader(paddle, np):
    """batch: lists of items, the last one kept or not, and sizes that are none."""

    def reader():
        yield from range(5)

    return {
        "kept": list(paddle.batch(reader, 2)()),
        "dropped": list(paddle.batch(reader, 2, drop_last=True)()),
        "twice": [len(list(paddle.batch(reader, 3)())) for _ in range(2)],
        "zero": attempt(lambda: paddle.batch(reader, 0)),
        "negative": attempt(lambda: paddle.batch(reader, -1)),
    }


@program
def generators_of_random_numbers(paddle, np):
    """manual_seed, and states of every spelling."""
    paddle.manual_seed(5)
    drawn = paddle.rand([3]).numpy()
    paddle.device.manual_seed(5)
    again = paddle.rand([3]).numpy()
    kept = paddle.device.get_rng_state()
    later = paddle.rand([3]).numpy()
    paddle.device.set_rng_state(kept)
    later_again = paddle.rand([3]).numpy()
    states = paddle.get_rng_state()
    last = paddle.rand([3]).numpy()
    paddle.set_rng_state(states)
    return [
        np.array_equal(drawn, again),
        np.array_equal(later, later_again),
        np.array_equal(last, paddle.rand([3]).numpy()),
        len(paddle.get_rng_state("cpu")),
        paddle.get_cuda_rng_state(),
        paddle.set_cuda_rng_state([]),
        paddle.Generator("cpu").manual_seed(3).initial_seed(),
        isinstance(paddle.Generator().seed(), int),
    ]


@differs(
    "every generator of the CPU is the default one",
    right=[True, True, 3],
    paddle_gives=[False, False, 5],
)
def generators_of_their_own(paddle, np):
    """Two generators of one seed, and the default generator beside them."""
    one, two = paddle.Generator(), paddle.Generator()
    one.manual_seed(3)
    two.manual_seed(3)
    state = one.get_state()
    first = one.random()
    one.set_state(state)
    paddle.manual_seed(5)
    return [first == two.random(), first == one.random(), one.initial_seed()]


@program
def devices_by_name(paddle, np):
    """Device strings, guards, and what the machine has, on a machine with a CPU alone."""
    Device = paddle.device.Device
    with paddle.device.device("cpu") as entered:
        inside = paddle.get_device()
    with paddle.device.device_guard("cpu") as guarded:
        place = str(paddle.ones([1]).place)
    with paddle.device("cpu") as named:
        named_inside = [str(named), paddle.get_device()]
    with paddle.device.device(None):
        nothing = paddle.get_device()
    with paddle.device.device(0):
        first = paddle.get_device()
    cuda = Device("cuda", 1)
    return {
        "guards": [entered, inside, guarded, place, named_inside, nothing, first],
        "names": [str(paddle.device("cuda:1")), str(paddle.device(2)), str(Device("GPU:3"))],
        "parts": [cuda.type, cuda.index, paddle.device("cpu").index, isinstance(cuda, str)],
        "place": str(Device(paddle.CPUPlace())),
        "unknown": attempt(lambda: paddle.device("foo")),
        "a float": attempt(lambda: paddle.device(1.5)),
        "index alone": attempt(lambda: paddle.device(index=1)),
        "negative": attempt(lambda: paddle.device.device(-1).__enter__()),
        "absent": refuses(lambda: paddle.device.device_guard("gpu:0").__enter__())["error"],
        "compiled": [
            paddle.device.is_compiled_with_cinn(),
            paddle.device.is_compiled_with_ipu(),
            paddle.device.is_compiled_with_rocm(),
            paddle.device.is_compiled_with_custom_device("npu"),
            paddle.is_compiled_with_cinn(),
            paddle.is_compiled_with_ipu(),
        ],
        "there": [
            paddle.device.is_available(),
            paddle.device.device_count(),
            paddle.device.get_all_custom_device_type(),
            paddle.device.get_available_custom_device(),
            paddle.device.is_bf16_supported(),
        ],
        "tensor": paddle.device.get_device(paddle.ones([1])),
    }


@differs(
    "waiting for a CPU is refused as a wrong word, asking what it is fails inside",
    right=[None, "cpu"],
    paddle_gives=[
        {"error": "TypeError", "category": None},
        {"error": "NameError", "category": None},
    ],
)
def devices_that_are_cpus(paddle, np):
    """synchronize and get_device_properties of a CPU."""

    def said(call):
        out = []
        error = refuses(lambda: out.append(call()))
        return error if not out else out[0]

    return [
        said(lambda: paddle.device.synchronize("cpu")),
        said(lambda: paddle.device.get_device_properties("cpu").name),
    ]


@program
def versions_that_are_required(paddle, np):
    """require_version: what is fulfilled, what is not, what is no version."""
    require = paddle.utils.require_version

    def text(*args):
        return "VersionError: PaddlePaddle version" in attempt(lambda: require(*args))["text"]

    return {
        "fulfilled": [require("0.0.1"), require("0", "9.9"), require("3.3.1"), require("3", "3.4")],
        "newer": text("9.0.0"),
        "range": text("0.0.1", "0.0.2"),
        "turned": text("9", "0.1"),
        "number": attempt(lambda: require(1)),
        "maximum": attempt(lambda: require("0.1", 3)),
        "words": attempt(lambda: require("abc")),
        "long": attempt(lambda: require("0.1.2.3.4")),
        "words at the end": attempt(lambda: require("1", "a")),
    }


@program
def modules_that_are_tried(paddle, np):
    """try_import of a module that is there, and of one that is not."""
    tried = paddle.utils.try_import
    return [
        tried("math").__name__,
        tried("os.path").__name__ == "posixpath",
        attempt(lambda: tried("no_such_module")),
        attempt(lambda: tried("no_such_module", "say this")),
    ]


@program
def functions_that_go_away(paddle, np):
    """deprecated: levels, documentation, warnings, wrong arguments."""

    def made(**options):
        def plus(x):
            """Adds."""
            return x + 1

        plus.__module__ = "m"
        found = paddle.utils.deprecated(**options)(plus)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = attempt(lambda: found(1))
        kinds = [type(each.message).__name__ for each in caught]
        return [result, kinds, found.__doc__, found.__name__]

    return {
        "silent": made(),
        "since": made(since="2.0"),
        "all": made(update_to="paddle.new", since="2.0", reason="it is old", level=1),
        "warned": made(level=1),
        "level": refuses(lambda: paddle.utils.deprecated(level=3)(len))["error"]
        in (
            "AssertionError",
            "ValueError",
        ),
    }


@differs(
    "a state given where there is no GPU is dropped without a word",
    right={"error": "ValueError", "category": "InvalidArgument"},
    paddle_gives="no error",
)
def states_of_no_gpu(paddle, np):
    """set_cuda_rng_state of one state, on a machine without a GPU."""
    return refuses(lambda: paddle.set_cuda_rng_state([1]))
