"""Values with operators, loops and memory: how Python writes loops-level code."""
