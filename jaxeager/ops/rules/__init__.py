"""Rules that rows of several subpackages share; they depend on no row and no call.

To write rows: the kinds of their attributes (``attrs``) and the sample inputs of their tests
(``samples``). To choose dtypes: type promotion (``promotion``), numbers that a dtype cannot hold
(``fitting``), the dtype that a kernel computes in (``precision``), refused dtypes (``real_only``).
The rest are helpers of kernels and of functions. A helper that only one subpackage needs is in that
subpackage.
"""
