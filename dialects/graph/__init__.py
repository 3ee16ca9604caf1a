"""The `graph` dialect: whole-tensor operators, as an imported model has them."""
