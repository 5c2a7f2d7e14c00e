"""Loss layers refuse ``size_average`` and ``reduce``, and name the replacement."""

# Arguments of wrong types, on purpose.
# pyright: reportArgumentType=false, reportCallIssue=false

import pytest

from jaxeager import nn
from jaxeager.errors import InvalidArgumentError


@pytest.mark.parametrize(
    ("make", "seen", "instead"),
    [
        (lambda: nn.MSELoss(size_average=True), "size_average=True", "mean"),
        (lambda: nn.MSELoss(size_average=False), "size_average=False", "sum"),
        (lambda: nn.L1Loss(reduce=False), "reduce=False", "none"),
        (lambda: nn.L1Loss(size_average=None), "size_average=None", "mean"),
        (lambda: nn.BCELoss(None, False), "size_average=False", "sum"),
        (lambda: nn.BCELoss(None, "mean", False), "reduce=False", "none"),
        (lambda: nn.NLLLoss(None, True, -100, False), "size_average=True, reduce=False", "none"),
        (lambda: nn.CrossEntropyLoss(None, False), "size_average=False", "sum"),
        (lambda: nn.CrossEntropyLoss(None, -100, "sum", reduce=True), "reduce=True", "mean"),
        (lambda: nn.PoissonNLLLoss(True, True, 1e-8, "mean", False), "reduce=False", "none"),
        (lambda: nn.TripletMarginLoss(1.0, 2.0, 1e-6, False, True), "size_average=True", "mean"),
        (lambda: nn.MultiMarginLoss(1, 1.0, None, False), "size_average=False", "sum"),
    ],
)
def test_refused(make, seen, instead):
    with pytest.raises(InvalidArgumentError) as found:
        make()
    assert f"received {seen}. Write reduction='{instead}'" in str(found.value)


def test_bools_of_today_are_taken():
    assert nn.CrossEntropyLoss(None, -100, "mean", True).soft_label is True
    assert nn.KLDivLoss("sum", True).log_target is True
    assert isinstance(nn.PoissonNLLLoss(False, True), nn.Layer)


def test_a_subclass_is_named_by_the_layer_that_refuses():
    class Mine(nn.MSELoss):
        pass

    with pytest.raises(InvalidArgumentError, match="MSELoss takes neither"):
        Mine(size_average=True)
