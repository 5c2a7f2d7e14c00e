"""The signatures of paddle.nn, recorded from Paddle (its version is in the file), hold here."""

import inspect
import json
import operator
import pathlib

import pytest

import jaxeager as paddle

RECORDED = json.loads(
    pathlib.Path(__file__).with_name("paddle_signatures.json").read_text(encoding="utf-8")
)
# Of a device JAX does not have, and an unused hook.
ABSENT = {"xpu", "get_extra_state"}
# Paddle writes *args, **kwargs for the names that are written out here.
SPELLED_OUT = {"state_dict"}


def bare(function) -> str:
    """Return a signature without its annotations."""
    signature = inspect.signature(function)
    parameters = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
    return str(signature.replace(parameters=parameters, return_annotation=signature.empty))


@pytest.mark.parametrize("name", RECORDED["layers"])
def test_layers(name):
    layer = getattr(paddle.nn, name)
    assert [bare(layer.__init__), bare(layer.forward)] == RECORDED["layers"][name]


@pytest.mark.parametrize("name", sorted(set(RECORDED["Layer"]) - ABSENT - SPELLED_OUT))
def test_methods_of_layer(name):
    assert bare(getattr(paddle.nn.Layer, name)) == RECORDED["Layer"][name]


@pytest.mark.parametrize("name", RECORDED["initializers"])
def test_initializers(name):
    assert bare(getattr(paddle.nn.initializer, name)) == RECORDED["initializers"][name]


@pytest.mark.parametrize("name", RECORDED["other"])
def test_other_names(name):
    assert bare(operator.attrgetter(name)(paddle)) == RECORDED["other"][name]


def test_every_public_layer_was_recorded():
    layers = {
        name
        for name in paddle.nn.__all__
        if inspect.isclass(getattr(paddle.nn, name))
        and issubclass(getattr(paddle.nn, name), paddle.nn.Layer)
    }
    assert layers == set(RECORDED["layers"])


@pytest.mark.parametrize("name", sorted(ABSENT))
def test_names_that_paddle_lacks_are_absent(name):
    assert not hasattr(paddle.nn.Layer, name)
