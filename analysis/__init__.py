"""Facts about IR; nothing here changes it."""
