"""The picture of a gradient report: layers against steps, by color, with matplotlib."""

from pathlib import Path

import numpy as np

from jaxeager.errors import UnavailableError

_PANELS = (("grad", "gradient norm"), ("ratio", "update / value"), ("zeros", "share of zeros"))
_BAD = "#c62a2f"
_NONE = "#e3e6ea"


def draw(data: dict, path: Path) -> None:
    """Draw the data of a report into a file; its suffix determines the format.

    Raises:
        UnavailableError: when matplotlib is not installed.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise UnavailableError(
            'The picture of a gradient report needs matplotlib: pip install "jaxeager[examples]".'
        ) from None
    rows = data["rows"]
    figure = Figure(figsize=(12.5, 1.9 + 0.27 * len(rows)), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(1, len(_PANELS), sharey=True, squeeze=False)[0]
    for axis, (key, title) in zip(axes, _PANELS, strict=True):
        _draw_panel(figure, axis, data, key, title)
    axes[0].set_yticks(range(len(rows)), [row["name"] for row in rows], fontsize=9)
    for label, row in zip(axes[0].get_yticklabels(), rows, strict=True):
        label.set_color(_BAD if row["finding"] else "black")
    legend = "red: NaN or Inf, grey: none or 0; layers with a finding have red names"
    figure.suptitle(legend, fontsize=9, color="#5a6675")
    figure.savefig(path, dpi=130, metadata={"Date": None} if path.suffix == ".svg" else None)


def _draw_panel(figure, axis, data: dict, key: str, title: str) -> None:
    from matplotlib.colors import ListedColormap, LogNorm, Normalize

    values = np.array([[_number(each) for each in row[key]] for row in data["rows"]])
    bad = np.array([row["bad"] for row in data["rows"]]) > 0
    is_share = key == "zeros"
    shown = np.ma.masked_invalid(values if is_share else np.where(values > 0, values, np.nan))
    shown = np.ma.masked_where(bad, shown)
    steps = data["steps"]
    half = (steps[1] - steps[0]) / 2 if len(steps) > 1 else 0.5
    place = {
        "aspect": "auto", "interpolation": "nearest", "origin": "upper",
        "extent": (steps[0] - half, steps[-1] + half, len(values) - 0.5, -0.5),
    }  # fmt: skip
    axis.set_facecolor(_NONE)
    axis.imshow(np.ma.masked_where(~bad, bad), cmap=ListedColormap([_BAD]), **place)
    axis.set_title(title, fontsize=10)
    axis.set_xlabel("step", fontsize=9)
    axis.tick_params(labelsize=9, length=2)
    if shown.count():
        ends = _ends(shown)
        norm = Normalize(0, 1) if is_share else LogNorm(*ends)
        drawn = axis.imshow(shown, cmap="viridis", norm=norm, **place)
        ticks = [0, 0.5, 1] if is_share else list(np.geomspace(*ends, 4))
        bar = figure.colorbar(drawn, ax=axis, location="bottom", aspect=40, pad=0.02)
        bar.ax.minorticks_off()
        bar.set_ticks(ticks, labels=[f"{each:.2g}" for each in ticks], fontsize=8)


def _ends(shown) -> tuple[float, float]:
    low, high = float(shown.min()), float(shown.max())
    return (low, high) if low < high else (low / 2, high * 2)


def _number(value) -> float:
    return np.nan if value is None else value
