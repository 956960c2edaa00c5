"""mlbench: an experiment runner for multi-label dimension reduction."""
