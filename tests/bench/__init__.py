"""Speed, measured against what people would use instead: ``make bench``."""
