"""What a third party adds to Glow by entry points, without touching it."""
