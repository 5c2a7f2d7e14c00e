"""The files of a Model: its parameters, the state of its optimizer and of its loss scaling."""

import os
import warnings

import jaxeager as paddle
from jaxeager.core.user_lines import warn
from jaxeager.errors import InvalidArgumentError, PreconditionNotMetError, RefusedArgumentError
from jaxeager.static.input_spec import InputSpec


def save_model(model, path, training: bool) -> None:
    """Save a Model; see ``Model.save``."""
    if not training:
        paddle.jit.save(model.network, os.fspath(path), _specs(model))
        return
    paddle.save(model.network.state_dict(), f"{path}.pdparams")
    if model._optimizer is not None and model._optimizer.state_dict():
        paddle.save(model._optimizer.state_dict(), f"{path}.pdopt")
    if model._precision.scaler is not None:
        paddle.save(model._precision.scaler.state_dict(), f"{path}.pdscaler")


def _specs(model) -> list:
    """Return the specifications of the inputs: those given to the Model, or those of a batch.

    Raises:
        PreconditionNotMetError: when neither is known.
    """
    if model._has_specs:
        return [
            InputSpec(spec.shape, getattr(spec, "dtype", None) or "float32", spec.name)
            for spec in model._inputs
        ]
    if model._seen is None:
        raise PreconditionNotMetError(
            "Saving inference model needs 'inputs' or running before saving. Please specify "
            "'inputs' in Model initialization or input training data and perform a training for "
            "shape derivation."
        )
    warn(
        "'inputs' was not specified when Model initialization, so the input shape to be saved will "
        f"be that of a batch, its first size left open: {model._seen}."
    )
    return model._seen


def seen(inputs: list) -> list:
    """Return specifications for the inputs of a batch, with an open first dimension."""
    return [InputSpec([None, *each.shape[1:]] if each.shape else [], each.dtype) for each in inputs]


def load_model(model, path, skip_mismatch: bool, reset_optimizer: bool) -> None:
    """Load a Model; see ``Model.load``."""
    stem, ending = os.path.splitext(path)
    if ending not in ("", ".pdparams", ".pdopt", ".pdmodel"):
        raise RefusedArgumentError(f"Unknown postfix {ending} from weights")
    if not os.path.exists(f"{stem}.pdparams"):
        raise RefusedArgumentError(
            f"Failed to load parameters, please check path. There is no {stem}.pdparams."
        )
    state, matched = _state_of(f"{stem}.pdparams"), {}
    for name, parameter in model.network.state_dict().items():
        problem = _mismatch(name, parameter, state)
        if problem is None:
            matched[name] = state[name]
        elif skip_mismatch:
            warnings.warn(f"Skip loading for {name}. {problem}", stacklevel=2)
            reset_optimizer = True
        else:
            error = InvalidArgumentError(problem)  # Paddle's message, which does not name the file
            error.add_note(f"The file is {stem}.pdparams.")
            raise error
    for name, parameter in model.network.state_dict().items():
        if name in matched:
            parameter.set_value(matched[name])
    if model._optimizer is not None and not reset_optimizer and os.path.exists(f"{stem}.pdopt"):
        model._optimizer.set_state_dict(_state_of(f"{stem}.pdopt"))
    if model._precision.scaler is not None and os.path.exists(f"{stem}.pdscaler"):
        model._precision.scaler.load_state_dict(_state_of(f"{stem}.pdscaler"))


def _state_of(path: str) -> dict:
    """Return the state dict of a file.

    Raises:
        InvalidArgumentError: when it contains anything else.
    """
    found = paddle.load(path)
    if not isinstance(found, dict):
        raise InvalidArgumentError(
            f"{path} does not contain a state dict but a {type(found).__name__}."
        )
    return found


def _mismatch(name: str, parameter, state: dict) -> str | None:
    """Return why a parameter cannot be loaded, or None."""
    if name not in state:
        return f"{name} is not found in the providing file."
    if not isinstance(state[name], paddle.Tensor):
        return f"{name} is not a tensor in the file, but a {type(state[name]).__name__}."
    if list(state[name].shape) != list(parameter.shape):
        return (
            f"{name} receives a shape {list(state[name].shape)}, but the expected shape is "
            f"{list(parameter.shape)}."
        )
    return None
