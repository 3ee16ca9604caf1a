"""The functions of NumPy and of the Python array API standard, for traced arrays."""
