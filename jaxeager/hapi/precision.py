"""Precision: how a Model trains in mixed precision."""

import contextlib
from typing import Any

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError

LEVELS = ("O0", "O1", "O2")
LISTS = ("custom_white_list", "custom_black_list")
SCALING = (
    "init_loss_scaling",
    "incr_ratio",
    "decr_ratio",
    "incr_every_n_steps",
    "decr_every_n_nan_or_inf",
    "use_dynamic_loss_scaling",
)


class Precision:
    """Mixed precision of training: casts, and scaled losses and updates; nothing at level "O0".

    Args:
        configs: "O0", "O1" or "O2"; a dict of "level" ("O1" by default), the custom lists of
            auto_cast and settings of GradScaler; or None for "O0".

    Raises:
        InvalidArgumentError: for an unknown level or setting.
    """

    def __init__(self, configs):
        given: dict[str, Any] = configs if isinstance(configs, dict) else {"level": configs or "O0"}
        self.level = given.get("level", "O1" if given else "O0")
        if self.level not in LEVELS:
            raise InvalidArgumentError(
                f"The level of amp_configs should be 'O0', 'O1' or 'O2', but is {self.level!r}."
            )
        unknown = set(given) - {"level", *LISTS, *SCALING}
        if unknown:
            raise InvalidArgumentError(
                "Except for 'level', the keys of 'amp_configs' must be accepted by mixed precision "
                f"APIs, but {tuple(sorted(unknown))} could not be recognized."
            )
        self._lists = {name: given[name] for name in LISTS if name in given}
        self._scaling = {name: given[name] for name in SCALING if name in given}
        self.scaler = None
        if self.level != "O0":
            self.scaler = paddle.amp.GradScaler(**self._scaling)

    def casting(self):
        """Return the context of a forward pass."""
        if self.level == "O0":
            return contextlib.nullcontext()
        return paddle.amp.auto_cast(level=self.level, **self._lists)

    def run_backward(self, loss) -> None:
        """Run backward from the scaled loss."""
        (loss if self.scaler is None else self.scaler.scale(loss)).backward()

    def update(self, optimizer, loss) -> None:
        """Update the parameters."""
        if self.scaler is None:
            optimizer.step()
        else:
            self.scaler.minimize(optimizer, loss)
