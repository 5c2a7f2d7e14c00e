"""Compares two models: finds the first layer whose output differs."""
