"""Places: their classes, what they compare to, and what programs ask of them."""

from ..registry import program

NAMES = "CPUPlace CUDAPlace CUDAPinnedPlace XPUPlace XPUPinnedPlace CustomPlace IPUPlace".split()


@program
def places_are_classes(paddle, np):
    core = paddle.base.core
    return {
        name: [
            isinstance(getattr(paddle, name), type),
            getattr(paddle, name) is getattr(core, name),
            issubclass(getattr(paddle, name), core.Place),
            isinstance(paddle.CPUPlace(), getattr(paddle, name)),
            isinstance(paddle.ones([1]).place, getattr(paddle, name)),
        ]
        for name in NAMES
    }


@program
def what_a_place_says(paddle, np):
    questions = (
        "is_cpu_place is_gpu_place is_cuda_pinned_place is_xpu_place is_xpu_pinned_place "
        "is_ipu_place is_custom_place custom_device_type _type"
    ).split()
    core = paddle.base.core
    moved = core.Place()
    moved.set_place(paddle.CPUPlace())
    return [
        [repr(place), type(place).__name__, *(getattr(place, name)() for name in questions)]
        for place in (paddle.CPUPlace(), paddle.ones([1]).place, core.Place(), moved)
    ]


@program
def places_of_one_device_are_equal(paddle, np):
    plain, typed = paddle.ones([1]).place, paddle.CPUPlace()
    return [
        plain == typed,
        typed == plain,
        typed == paddle.CPUPlace(),
        plain._equals(typed),
        hash(plain) == hash(typed),
        typed == paddle.base.core.Place(),
        type(plain).__name__,
    ]


@program
def places_that_functions_take_and_give(paddle, np):
    x = paddle.ones([2])
    framework = paddle.base.framework
    return [
        type(paddle.set_device("cpu")).__name__,
        type(paddle.set_device(x.place)).__name__,
        type(framework._current_expected_place()).__name__,
        type(framework._get_paddle_place("cpu")).__name__,
        framework._get_paddle_place(None),
        framework.in_dygraph_mode(),
        repr(paddle.to_tensor([1.0], place=x.place).place),
        repr(x.to(paddle.CPUPlace()).place),
        repr(x.to(device=x.place).place),
    ]


@program
def places_that_no_tensor_lives_in(paddle, np):
    found = {}
    for name in ("XPUPlace", "IPUPlace"):
        try:
            getattr(paddle, name)(0)
            found[name] = "made"
        except (TypeError, ValueError):
            found[name] = "refused"
    return found


@program
def numpy_takes_a_flag(paddle, np):
    x = paddle.ones([2])
    copies = [x.numpy(False), x.numpy(True), x.numpy(copy=False)]
    for copy in copies:
        copy += 1
    return [x.numpy(), *copies]
