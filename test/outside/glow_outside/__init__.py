"""What a third party adds to Glow without touching it: an op and some targets."""
