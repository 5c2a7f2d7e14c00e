"""Random programs that run on jaxeager and on real Paddle, and whose results must agree.

`python -m tests.fuzz --help` shows how to run a campaign, one family or one seed.
"""
