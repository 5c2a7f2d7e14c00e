"""paddle.tensor.random: random tensors."""

from jaxeager.tensor.names import functions

__all__ = """
    bernoulli bernoulli_ binomial exponential_ log_normal log_normal_ multinomial normal normal_
    poisson rand rand_like randint randint_like randn randn_like random_ randperm standard_gamma
    standard_normal uniform uniform_
""".split()

globals().update(functions(__all__))
