"""The `team` dialect: which calls of `main` several threads may share."""
