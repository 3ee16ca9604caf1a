"""
Graphs of PyTorch, as `torch.compile` and `torch.export` make them, as models.

An operator of ATen is a function of traced arrays (`registry.py` has them by name), so
that a graph is traced as any function is. Nothing here imports torch.
"""
