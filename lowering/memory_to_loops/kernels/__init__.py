"""The kernel library: functions of the loops level, each made from a frozen key."""
