"""Command lines."""

import os
import sys

try:
    os.getcwd()
except FileNotFoundError:  # which imports of xDSL would end in
    sys.exit("error: the current folder is gone: change to another one")
