"""llvmlite's binding as one value of any type, since it has no types."""

from importlib import import_module
from typing import Any

llvm: Any = import_module("llvmlite.binding")
llvmlite_version: str = import_module("llvmlite").__version__
