"""All jobs by name, in the order of the table."""

from tests.bench.job import Job
from tests.bench.jobs import (
    directions,
    grid,
    mlknn,
    mnmtf,
    online,
    projection,
    ranking,
    reading,
    sweeps,
)

PARTS = (
    mlknn,
    mnmtf,
    projection,
    directions,
    sweeps,
    ranking,
    reading,
    online,
    grid,
)
JOBS: dict[str, Job] = {name: job for part in PARTS for name, job in part.JOBS.items()}
