"""Files to arrays: catalogue, readers, synthetic data, preprocessing, splits."""
