"""paddle.distributed.parallelize: a model of one device on a mesh, by a table of plans."""
