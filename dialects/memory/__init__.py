"""The `memory` dialect: buffers, lifetimes and ops that write to them."""
