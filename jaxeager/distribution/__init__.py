"""paddle.distribution: distributions, transforms of their draws, and divergences."""

from jaxeager.distribution import transform
from jaxeager.distribution.bernoulli import Bernoulli
from jaxeager.distribution.beta import Beta
from jaxeager.distribution.binomial import Binomial
from jaxeager.distribution.categorical import Categorical
from jaxeager.distribution.cauchy import Cauchy
from jaxeager.distribution.chi2 import Chi2
from jaxeager.distribution.combined_transforms import (
    ChainTransform,
    IndependentTransform,
    StackTransform,
)
from jaxeager.distribution.continuous_bernoulli import ContinuousBernoulli
from jaxeager.distribution.dirichlet import Dirichlet
from jaxeager.distribution.distribution import Distribution
from jaxeager.distribution.elementwise_transforms import (
    AbsTransform,
    AffineTransform,
    ExpTransform,
    PowerTransform,
    SigmoidTransform,
    TanhTransform,
)
from jaxeager.distribution.exponential import Exponential
from jaxeager.distribution.exponential_family import ExponentialFamily
from jaxeager.distribution.gamma import Gamma
from jaxeager.distribution.geometric import Geometric
from jaxeager.distribution.gumbel import Gumbel
from jaxeager.distribution.independent import Independent
from jaxeager.distribution.kl import kl_divergence, register_kl
from jaxeager.distribution.laplace import Laplace
from jaxeager.distribution.lkj_cholesky import LKJCholesky
from jaxeager.distribution.lognormal import LogNormal
from jaxeager.distribution.multinomial import Multinomial
from jaxeager.distribution.multivariate_normal import MultivariateNormal
from jaxeager.distribution.normal import Normal
from jaxeager.distribution.poisson import Poisson
from jaxeager.distribution.student_t import StudentT
from jaxeager.distribution.transform_base import Transform
from jaxeager.distribution.transformed_distribution import TransformedDistribution
from jaxeager.distribution.uniform import Uniform
from jaxeager.distribution.vector_transforms import (
    ReshapeTransform,
    SoftmaxTransform,
    StickBreakingTransform,
)

__all__ = [
    "AbsTransform",
    "AffineTransform",
    "Bernoulli",
    "Beta",
    "Binomial",
    "Categorical",
    "Cauchy",
    "ChainTransform",
    "Chi2",
    "ContinuousBernoulli",
    "Dirichlet",
    "Distribution",
    "ExpTransform",
    "Exponential",
    "ExponentialFamily",
    "Gamma",
    "Geometric",
    "Gumbel",
    "Independent",
    "IndependentTransform",
    "LKJCholesky",
    "Laplace",
    "LogNormal",
    "Multinomial",
    "MultivariateNormal",
    "Normal",
    "Poisson",
    "PowerTransform",
    "ReshapeTransform",
    "SigmoidTransform",
    "SoftmaxTransform",
    "StackTransform",
    "StickBreakingTransform",
    "StudentT",
    "TanhTransform",
    "Transform",
    "TransformedDistribution",
    "Uniform",
    "kl_divergence",
    "register_kl",
]
