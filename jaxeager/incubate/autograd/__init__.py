"""paddle.incubate.autograd: derivatives of functions. (Its other names need static graphs.)"""

from jaxeager.incubate.autograd.functional import jvp, vjp
from jaxeager.incubate.autograd.matrices import Hessian, Jacobian

__all__ = ["Hessian", "Jacobian", "jvp", "vjp"]
