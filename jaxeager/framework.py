"""What a program asks of the framework itself: its mode, its generators, batches of a reader."""

from jaxeager import places, random
from jaxeager.errors import InvalidArgumentError


def in_dynamic_mode() -> bool:
    """Says whether ops run when they are called: always.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.in_dynamic_mode()
        True
    """
    return True


def disable_static(place=None) -> None:
    """Leaves everything as it is: ops always run when they are called.

    Args:
        place: the device that new tensors go to from now on, as in ``set_device``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.disable_static()
    """
    if place is not None:
        places.set_device(place)


def disable_signal_handler() -> None:
    """Leaves everything as it is: no signal handler is installed here that could be taken away.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.disable_signal_handler()
    """


def manual_seed(seed: int) -> random.Generator:
    """Restarts the default generator; ``paddle.seed`` by another name.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.manual_seed(7).initial_seed()
        7
    """
    return random.seed(seed)


class Generator(random.Generator):
    """A generator of random numbers that has a stream of its own.

    Args:
        device: the device it is for; one generator serves them all.

    Raises:
        InvalidArgumentError: when this machine has no such device.

    Example:
        >>> import jaxeager as paddle
        >>> a, b = paddle.Generator().manual_seed(3), paddle.Generator().manual_seed(3)
        >>> a.random() == b.random()
        True
    """

    def __init__(self, device=None):
        if device is not None:
            places.as_place(device).device()
        super().__init__()


def _has_gpu() -> bool:
    return places.place_of(places.current_device()).is_gpu_place()


def get_cuda_rng_state() -> list:
    """Returns the state of the default generator, as a list of one; an empty one without a GPU.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.set_cuda_rng_state(paddle.get_cuda_rng_state())
    """
    return random.get_rng_state() if _has_gpu() else []


def set_cuda_rng_state(state_list) -> None:
    """Restores what get_cuda_rng_state returned.

    Raises:
        InvalidArgumentError: for a list of another length. (Paddle ignores a state where there is
            no GPU.)
    """
    wanted = int(_has_gpu())
    if len(state_list) != wanted:
        raise InvalidArgumentError(
            f"Length of gpu state list should be {wanted}, but it is {len(state_list)}."
        )
    if wanted:
        random.set_rng_state(list(state_list))


def batch(reader, batch_size: int, drop_last: bool = False):
    """Returns a reader that gives lists of ``batch_size`` items of another one.

    Args:
        reader: function of nothing that returns an iterable.
        batch_size: how many items a list has.
        drop_last: whether a last list of fewer items is left out.

    Returns:
        function of nothing that returns a generator of lists.

    Raises:
        InvalidArgumentError: when ``batch_size`` is not above 0.

    Example:
        >>> import jaxeager as paddle
        >>> list(paddle.batch(lambda: range(5), 2)())
        [[0, 1], [2, 3], [4]]
    """
    batch_size = int(batch_size)
    if batch_size <= 0:
        raise InvalidArgumentError(
            f"batch_size should be a positive integer value, but got batch_size={batch_size}"
        )

    def batches():
        items = []
        for item in reader():
            items.append(item)
            if len(items) == batch_size:
                yield items
                items = []
        if items and not drop_last:
            yield items

    return batches
