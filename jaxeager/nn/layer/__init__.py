"""The layers of paddle.nn, one family per file."""

import importlib

# They list layers of the files here: see module_aliases.py.
distance = importlib.import_module("jaxeager.nn.layer.distance")
layers = importlib.import_module("jaxeager.nn.layer.layers")
loss = importlib.import_module("jaxeager.nn.layer.loss")
