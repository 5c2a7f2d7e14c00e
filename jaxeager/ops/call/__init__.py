"""The one path of a call, and the VJP behind it.

What happens between ``x * y`` and the tensor that it gives, in the order of the files: a public
function (``signature``) goes through the closure of its shape of call (``closures``) or the path
with loops (``path``). Their stages: ``operands`` (parse, promote), ``kernels`` (find one),
``running`` (run it) and ``recording`` (make the node). ``in_place`` writes the result into the
first operand, ``looking`` is by what tools see it all, ``plan`` what is known before the first
call. ``gradient`` runs the VJP of a node.

Beside the path: ``keywords`` are further names of parameters, ``bad_operands`` says what was wrong
with an operand, ``sources`` tells tools of tensors that are made of nothing, ``wrapping`` makes
arrays Tensors. Other rooms ask for all this by way of ``dispatch``.
"""
