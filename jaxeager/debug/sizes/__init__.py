"""The shapes of a network's ops for sizes that represent any number."""
