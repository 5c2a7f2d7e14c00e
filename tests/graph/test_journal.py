"""What a failed backward leaves in ``.grad`` where the program or another backward wrote it too."""

import pytest

import jaxeager as paddle


def fail_after(change, has_gradient):
    """Return a leaf, after a backward that adds 2 to its gradient, calls ``change`` and fails."""
    x, w = (paddle.to_tensor([1.0, 1.0], stop_gradient=False) for _ in range(2))
    if has_gradient:
        (x * 3).sum().backward()

    def hook(grad):
        change(x)
        raise ValueError("mine")

    late = w * 1.0
    late.register_hook(hook)
    for _ in range(5):  # the leaf x has its gradient before the hook runs
        late = late * 1.0
    with pytest.raises(ValueError, match="mine"):
        ((x * 2).sum() + late.sum()).backward()
    return x


def set_gradient(x):
    x.grad = paddle.to_tensor([7.0, 7.0])


def remove_gradient(x):
    x.grad = None


def add_ten(x):
    (x * 10).sum().backward()


def has_two_more(x):
    assert x.grad.tolist() in ([2.0, 2.0], [5.0, 5.0])


@pytest.mark.parametrize(
    ("change", "left", "left_of_three"),
    [
        (has_two_more, None, [3.0, 3.0]),
        (set_gradient, [7.0, 7.0], [7.0, 7.0]),
        (remove_gradient, None, None),
        (lambda x: x.clear_grad(), [0.0, 0.0], [0.0, 0.0]),
        (add_ten, [10.0, 10.0], [13.0, 13.0]),
    ],
)
@pytest.mark.parametrize("has_gradient", [False, True])
def test_a_failed_backward_takes_back_what_it_added(change, left, left_of_three, has_gradient):
    x = fail_after(change, has_gradient)
    expected = left_of_three if has_gradient else left
    assert (None if x.grad is None else x.grad.tolist()) == expected
