"""Run compiled models: arrays in, arrays out; knows no IR."""
