"""Where an op came from, in the words of the model."""

from xdsl.dialects.builtin import FileLineColLoc, FusedLoc, NameLoc, UnknownLoc
from xdsl.ir import Attribute, Operation


def name_of(op: Operation) -> str:
    """Return the model's name of the node(s) that `op` was made from."""
    return _text(op.location)


def _text(location: Attribute) -> str:
    match location:
        case NameLoc():
            return location.desc.data
        case FileLineColLoc():
            return f"{location.filename.data}:{location.line.data}"
        case FusedLoc():
            names = dict.fromkeys(_text(part) for part in location.locations.data)
            return " + ".join(name for name in names if name != "an unknown place")
        case UnknownLoc():
            return "an unknown place"
        case _:
            return str(location)
