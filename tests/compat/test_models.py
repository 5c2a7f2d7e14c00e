"""Paddle's own models, from its source files: tools/paddle_models.py runs and compares them."""

import numpy as np
import pytest

from tests.parity.harness import needed_paddle
from tests.support.modules_of_tools import module_of_tools

pages = module_of_tools("paddle_models")


@pytest.mark.live
@pytest.mark.deep
@pytest.mark.parametrize("model", pages.MODELS, ids=lambda model: model.factory)
def test_a_model_of_paddle_is_the_same_here(model):
    found = pages.measure(model, needed_paddle())
    assert not pages.beyond(model, found), found


@pytest.mark.live
def test_every_source_of_models_is_run():
    sources = pages.source_of(pages.MODELS[0], needed_paddle()).parent.glob("[a-z]*.py")
    assert {path.stem for path in sources} == {model.file for model in pages.MODELS}


def test_every_model_is_recorded_within_the_limits():
    recorded = pages.records()
    assert list(recorded) == [model.factory for model in pages.MODELS]
    assert not [pages.beyond(m, recorded[m.factory]) for m in pages.MODELS
                if pages.beyond(m, recorded[m.factory])]  # fmt: skip


def test_differences_are_found():
    theirs = {"eval logits": np.array([1.0, 2.0]), "gradient w": np.array([0.5]),
              "gradient b": np.array([1e-9])}  # fmt: skip
    ours = {"eval logits": np.array([1.0, 2.02]), "gradient w": np.array([0.5]),
            "gradient b": np.array([2e-9])}  # fmt: skip
    found = pages.differences(theirs, ours)
    assert found == pytest.approx({"logits": 0.01, "gradient": 2e-6})
    assert pages.beyond(pages.MODELS[0], found) == [
        "alexnet: logits differs by 0.01, more than 1e-07"
    ]
    ours["eval logits"][0] = np.nan
    assert pages.differences(theirs, ours)["logits"] == float("inf")
