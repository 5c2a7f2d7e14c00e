"""Graphs as DOT text and pictures: of backward, of forward, of one run, of a subgraph."""
