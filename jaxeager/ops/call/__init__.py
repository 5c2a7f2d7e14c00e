"""The path of every call, and the VJP of its node.

These files turn ``x * y`` into a tensor. A public function (``signature``) goes through the closure
of its shape of call (``closures``) or the path with loops (``path``). Their stages are ``operands``
(parse, promote), ``kernels`` (find one), ``running`` (run it) and ``recording`` (make the node).
``in_place`` writes the result into the first operand, ``observers`` shows calls to tools, and
``plan`` holds what is known before the first call. ``gradient`` runs the VJP of a node.

In addition, ``keywords`` adds names of parameters, ``bad_operands`` makes the errors for wrong
operands, ``creation_events`` shows tools the tensors that no op computes, and ``wrapping`` makes
Tensors from arrays. ``types`` names the types of their signatures. Other subpackages use all this
through ``dispatch``.
"""
