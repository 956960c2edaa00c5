"""Records to tables: what was measured, beside what was published."""
