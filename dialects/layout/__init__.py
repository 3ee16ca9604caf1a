"""The `layout` dialect: the physical order of a value, and changes of it."""
