"""Further names of parameters of layers and their methods: ``eps=``, ``recurse=``, ``modules=``.

Paddle allows calls of these constructors and methods with the parameter names of other libraries.
The table is the counterpart of that of functions: see Note [Keyword aliases]. ``Name`` is the
constructor of a layer, ``Name.method`` a method. A layer that a program derives from one of these
has the names in the methods that it inherits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxeager.core.further_names import also_named

if TYPE_CHECKING:
    from collections.abc import Mapping

_TABLE = {
    "dim=axis": "CosineSimilarity GLU",
    "eps=epsilon": "GroupNorm LayerNorm PairwiseDistance",
    "input=x": """
        AdaptiveAvgPool2D.forward AdaptiveAvgPool3D.forward AdaptiveMaxPool2D.forward
        AdaptiveMaxPool3D.forward Conv1D.forward Conv2D.forward Conv3D.forward Embedding.forward
        GLU.forward Hardshrink.forward LPPool1D.forward LPPool2D.forward MaxUnPool1D.forward
        MaxUnPool2D.forward MaxUnPool3D.forward Softshrink.forward UpsamplingBilinear2D.forward
        UpsamplingNearest2D.forward""",
    "lambd=threshold": "Hardshrink Softshrink",
    "module=layer": "Layer.set_sublayer Layer.set_submodule",
    "module=sublayer": "LayerList.append LayerList.insert",
    "modules=sublayers": "LayerDict LayerDict.update LayerList LayerList.extend",
    (
        "output_size=output_sizes kernel_size=kernel_sizes stride=strides padding=paddings "
        "dilation=dilations"
    ): "Fold",
    "persistent=persistable": "Layer.register_buffer",
    "recurse=include_sublayers": """
        Layer.buffers Layer.named_buffers Layer.named_parameters Layer.parameters""",
    "return_indices=return_mask": "AdaptiveMaxPool1D AdaptiveMaxPool2D AdaptiveMaxPool3D",
    "stat_dict=state_dict": "Layer.load_dict Layer.set_dict Layer.set_state_dict",
    "target=label": "CrossEntropyLoss.forward SmoothL1Loss.forward",
    "x1=x x2=y": "PairwiseDistance.forward",
}


def add_further_names(layers: Mapping[str, type]) -> None:
    """Make constructors and methods of layers accept the names of the table.

    Args:
        layers: the classes by name.
    """
    for spec, places in _TABLE.items():
        for place in places.split():
            layer, _, method = place.partition(".")
            owner, method = layers[layer], method or "__init__"
            setattr(owner, method, also_named(spec)(getattr(owner, method)))
