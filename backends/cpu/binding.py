"""llvmlite's binding, which says nothing about types, as one value of any type."""

from importlib import import_module
from typing import Any

llvm: Any = import_module("llvmlite.binding")
llvmlite_version: str = import_module("llvmlite").__version__
