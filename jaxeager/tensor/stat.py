"""paddle.tensor.stat: mean, variance and quantiles."""

from jaxeager.tensor.names import functions

__all__ = """
    cast mean median nanmedian nanquantile numel quantile std var
""".split()

globals().update(functions(__all__))
