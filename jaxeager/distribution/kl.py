"""kl_divergence and register_kl: divergences by the classes of two distributions."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from jaxeager.distribution.bernoulli import Bernoulli
from jaxeager.distribution.beta import Beta
from jaxeager.distribution.binomial import Binomial
from jaxeager.distribution.categorical import Categorical
from jaxeager.distribution.cauchy import Cauchy
from jaxeager.distribution.continuous_bernoulli import ContinuousBernoulli
from jaxeager.distribution.dirichlet import Dirichlet
from jaxeager.distribution.distribution import Distribution
from jaxeager.distribution.exponential import Exponential
from jaxeager.distribution.exponential_family import ExponentialFamily, normalizer_and_slopes
from jaxeager.distribution.gamma import Gamma
from jaxeager.distribution.geometric import Geometric
from jaxeager.distribution.laplace import Laplace
from jaxeager.distribution.lognormal import LogNormal
from jaxeager.distribution.multivariate_normal import MultivariateNormal
from jaxeager.distribution.normal import Normal
from jaxeager.distribution.parameters import sum_rightmost
from jaxeager.distribution.poisson import Poisson
from jaxeager.distribution.uniform import Uniform
from jaxeager.errors import InvalidTypeError, UnimplementedError

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor

RULES: dict[tuple[type, type], Callable] = {}


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """Return the Kullback-Leibler divergence of ``p`` from ``q``, the mean of log(p(x) / q(x)).

    The rule is that of the nearest classes registered with ``register_kl``.

    Args:
        p: the distribution that x is drawn from.
        q: the other distribution.

    Returns:
        Tensor with the broadcast shape of their batches.

    Raises:
        UnimplementedError: when there is no rule for their classes.

    Example:
        >>> import jaxeager as paddle
        >>> D = paddle.distribution
        >>> D.kl_divergence(D.Normal(0.0, 1.0), D.Normal(1.0, 1.0)).item()
        0.5
    """
    return _rule(type(p), type(q))(p, q)


def register_kl(cls_p: type[Distribution], cls_q: type[Distribution]) -> Callable[..., Any]:
    """Decorate a function of two distributions: register it as the divergence for two classes.

    Subclasses without a rule of their own use it as well.

    Args:
        cls_p: the class of the first distribution.
        cls_q: the class of the second distribution.

    Raises:
        InvalidTypeError: when one of the two is not a subclass of Distribution.

    Example:
        >>> import jaxeager as paddle
        >>> D = paddle.distribution
        >>> class Mine(D.Normal):
        ...     pass
        >>> @D.register_kl(Mine, Mine)
        ... def nothing(p, q):
        ...     return 0.0
        >>> D.kl_divergence(Mine(0.0, 1.0), Mine(0.0, 1.0))
        0.0
    """
    if not issubclass(cls_p, Distribution) or not issubclass(cls_q, Distribution):
        raise InvalidTypeError(
            f"cls_p and cls_q must be subclass of Distribution, but are {cls_p} and {cls_q}."
        )

    def register(rule):
        RULES[cls_p, cls_q] = rule
        return rule

    return register


def _rule(cls_p: type, cls_q: type) -> Callable:
    """Return the rule whose first class is nearest to ``cls_p``, then its second to ``cls_q``."""
    above_p, above_q = cls_p.__mro__, cls_q.__mro__
    found = [(p, q) for p, q in RULES if p in above_p and q in above_q]
    if not found:
        raise UnimplementedError(
            f"There is no rule for the divergence of {cls_p.__name__} from {cls_q.__name__}; "
            "register one with paddle.distribution.register_kl."
        )
    distance = {pair: (above_p.index(pair[0]), above_q.index(pair[1])) for pair in found}
    left = min(found, key=lambda pair: distance[pair])
    right = min(found, key=lambda pair: distance[pair][::-1])
    if RULES[left] is not RULES[right]:
        warnings.warn(
            f"Ambiguous kl_divergence({cls_p.__name__}, {cls_q.__name__}). Please "
            f"register_kl({left[0].__name__}, {right[1].__name__})",
            RuntimeWarning,
            stacklevel=3,
        )
    return RULES[left]


for _each in (
    Bernoulli, Beta, Binomial, Categorical, Cauchy, ContinuousBernoulli, Dirichlet, Exponential,
    Gamma, Geometric, Laplace, LogNormal, MultivariateNormal, Normal, Poisson, Uniform,
):  # fmt: skip
    register_kl(_each, _each)(_each.kl_divergence)


@register_kl(ExponentialFamily, ExponentialFamily)
def _exponential_families(p, q):
    """Compute the Bregman divergence of the log-normalizer, for two of the same class."""
    if type(p) is not type(q):
        raise UnimplementedError(
            f"There is no rule for the divergence of {type(p).__name__} from {type(q).__name__}; "
            "register one with paddle.distribution.register_kl."
        )
    mine, normalizer, slopes = normalizer_and_slopes(p)
    others = q._natural_parameters
    found = q._log_normalizer(*others) - normalizer
    for one, other, slope in zip(mine, others, slopes, strict=True):
        found = found - sum_rightmost((other - one) * slope, len(q.event_shape))
    return found
