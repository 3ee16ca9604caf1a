"""The `llvm_ext` dialect: what the llvm dialect of xDSL does not have."""
