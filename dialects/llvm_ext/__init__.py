"""The `llvm_ext` dialect: ops that xDSL's llvm dialect lacks."""
