"""paddle.inference: runs programs from files, which there are none of yet; each name raises."""

from jaxeager.core.refused import refused

_named = refused(
    "paddle.inference",
    "Programs cannot be written to files and read from them yet, so there is nothing to predict "
    "with. Make the Layer, load its weights with set_state_dict(paddle.load(path)) and call it "
    "under paddle.no_grad() after eval().",
    "Config Predictor PredictorPool Tensor XpuConfig convert_to_mixed_precision create_predictor",
)
globals().update(_named)
__all__ = list(_named)
