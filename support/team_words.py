"""
The words of memory by which compiled code and the runtime share threads.

All are of 64 bits. A *run record* describes one run to one worker; the same words, with
`GATE` first, are a slot of the pool, in which a caller publishes its run.
"""

LINE = 8
"""The words of a cache line: what several threads write lies on separate lines."""

# A run record.
WORKER = GATE = 0
"""The worker's number, 0 for the caller. In a slot: 1 if open, plus 2 per worker in."""
MAIN, ARENA, IO, CONSTANTS, FAULT = 1, 2, 3, 4, 5
"""Addresses: the entry of the code, and what it takes."""
OWN_SCRATCH, SCRATCH, SCRATCH_BYTES = 6, 7, 8
"""The scratch of the caller; that of the workers, and the bytes of each in it."""
EPOCH = 9
"""The number of the run times `EPOCH_UNIT`; those of one model only grow."""
LIMIT, WORKERS = 10, 11
"""How many workers, with the caller, a run may have; how many this one counts on."""
CURSORS, STRIDE = 12, 13
"""Where the next pieces are, a word per strand; the words of one worker."""
DONE = 14
"""Where pieces are counted: line 0 counts sleepers, line 1 the pieces of all runs."""
SYSCALL, FUTEX, CLOCK = 15, 16, 17
"""Addresses of C functions like Linux's; the number that `syscall` takes to sleep."""
DELAY = 18
"""The address of a function to call after each claim, for tests; 0: none."""
JOB = 19
"""The address of the caller's record, by which the pool knows whose run it is."""
TAKEN, GOAL = 20, 21
"""
How many pieces this worker has done and not yet added to the count in `DONE`; what
that count is when its section is over.
"""
STEALS = 22
"""Whether this worker takes pieces of others' shares, 0 while it has its own."""
STRAND, LOW, HIGH = 23, 24, 25
"""
The strand that this worker took a piece of last, -1 if none; its own share of that: the
pieces from one number to another, `EPOCH` added.
"""
END = 26
"""The number after the pieces that this worker claimed last."""
RECORD = 32
"""The words of a run record."""

EPOCH_UNIT = 1 << 24
"""Above the number of pieces in a strand."""

# The pool. What changes with each run comes first, then a line for each word.
CALLS, CURRENT, PARKED, BUSY = 0, 1, LINE, 2 * LINE
"""
How many runs were published, and the slot of the last one; how many workers sleep; 1
while a run has workers.
"""
SLOTS, THREADS, SPIN, STOPPED = range(3 * LINE, 3 * LINE + 4)
"""
How many slots there are, and workers, 0 where callers are to run alone for a while; the
nanoseconds that workers wait for a run before they sleep; 1 to end them.
"""
FIRST_SLOT = 4 * LINE
"""Where slots begin, and behind them the records of workers."""
