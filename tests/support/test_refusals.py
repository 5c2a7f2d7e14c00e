"""A refused value is caught at the call on a CPU, and at the end of the block elsewhere."""

import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError
from tests.support import refusals
from tests.support.transfers import as_on_an_accelerator

F = paddle.nn.functional


def ctc(labels, length):
    """Return a loss of one sample of 3 steps and 3 classes."""
    labels, times = paddle.to_tensor([labels], "int32"), paddle.to_tensor([3])
    return F.ctc_loss(paddle.zeros([3, 1, 3]), labels, times, paddle.to_tensor([length]))


CALLS = {
    "labels": (lambda: ctc([1, 9], 2), "labels must be in .* received 9"),
    "lengths": (lambda: ctc([1, 2], 3), "label_lengths must be in .* received 3"),
    "input": (lambda: F.binary_cross_entropy(paddle.full([1], 2.0), paddle.ones([1])), "Illegal"),
}


@pytest.mark.parametrize("is_on_cpu", [True, False])
@pytest.mark.parametrize("name", CALLS)
def test_refused_catches_an_error_on_a_cpu_and_elsewhere(name, is_on_cpu, monkeypatch):
    call, text = CALLS[name]
    monkeypatch.setattr(refusals, "IS_ON_CPU", is_on_cpu)
    if is_on_cpu:
        with refusals.refused(InvalidArgumentError, match=text):
            call()
        return
    with as_on_an_accelerator():
        call()  # no check is made
        with refusals.refused(InvalidArgumentError, match=text):
            call()
    assert paddle.get_flags("FLAGS_check_index") == {"FLAGS_check_index": "auto"}


def test_labels_beyond_their_length_are_not_checked(monkeypatch):
    assert ctc([1, 9], 1).item() > 0
    monkeypatch.setattr(refusals, "IS_ON_CPU", False)
    nothing = pytest.raises(pytest.fail.Exception, match="DID NOT RAISE")
    with as_on_an_accelerator(), nothing, refusals.refused(InvalidArgumentError):
        ctc([1, 9], 1)
