"""The targets on which whole networks and every operator must run."""

TARGETS = ("reference", "cpu")
