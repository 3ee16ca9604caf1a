"""How a convolution is computed: algorithm, packed filter, scratch and layouts."""
