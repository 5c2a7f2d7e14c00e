"""Which commit, package version or op call breaks a program, by halving: docs/bisect.md."""
