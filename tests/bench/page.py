"""The figures as a page in Markdown."""

from collections.abc import Iterable

from tests.bench.growth import METHODS

READING = """\
Each way runs in processes of its own, with one thread, in turns with the others; times
are medians over them. *Ratio* is the rival's time over ours: above 1 ours is faster.
*MB* is the most that a way adds to the memory of its process, its input apart. *Of
dgemm* is how fast ours multiplies matrices, as a share of a plain product of two square
ones, timed in the same process. *Result* says how far the two results agree."""

GROWTH = """\
Random data; each variable is doubled three times, the others being where the term it is
in dominates. Exponents by least squares on logarithms; what the formula leaves out
weighs most where sizes are small, and lowers them."""


def page(kept: dict) -> str:
    """All figures that there are."""
    parts = ["# Speed", _machine(kept["machine"])]
    if rows := kept.get("rows"):
        parts += [READING, jobs_table(rows)]
    if rows := kept.get("growth"):
        parts += ["## How cost grows", GROWTH, growth_table(rows)]
    if streamed := kept.get("stream"):
        parts += [
            "## One pass of OMMF over a stream",
            stream_table(streamed["rows"]),
            f"Time grows as n^{streamed['exponent']:.2f}.",
        ]
    return "\n\n".join(parts) + "\n"


def jobs_table(rows: list[dict]) -> str:
    """A line for each rival of each job."""
    head = "job | ours | MB | of dgemm | rival | time | MB | ratio | result | note"
    return _table(head, map(_job_cells, rows))


def growth_table(rows: list[dict]) -> str:
    """A line for each variable of each method."""
    head = "method | cost | over | sizes | seconds | expected | fitted"
    return _table(head, map(_growth_cells, rows))


def stream_table(rows: list[dict]) -> str:
    """A line for each length of the stream."""
    cells = (
        [
            f"{row['n']:,}",
            f"{row['seconds']:.2f} s",
            f"{row['seconds_per_1000']:.4f} s",
            f"{row['peak_mb']:.0f}",
        ]
        for row in rows
    )
    return _table("samples | learning | per 1,000 | peak MB", cells)


def _machine(about: dict) -> str:
    versions = ", ".join(f"{name} {text}" for name, text in about["versions"].items())
    return (
        f"Made by `make bench`, last at commit {about['commit']} on "
        f"{about['started'][:10]}.\n{about['cpu']}, {about['cores']} cores, "
        f"{about['machine']}; one core multiplies matrices at "
        f"{about['gigaflops']:g} GFlop/s.\n{versions}; {'; '.join(about['blas'])}."
    )


def _job_cells(row: dict) -> list[str]:
    share = row["of_products"]
    return [
        row["title"],
        f"{row['ours_seconds']:g} s",
        f"{row['ours_mb']:.0f}",
        "" if share is None else f"{share:.0%}",
        row["rival"],
        f"{row['rival_seconds']:g} s",
        f"{row['rival_mb']:.0f}",
        f"{row['ratio']:g}x",
        row["check"] if row["holds"] else f"**{row['check']}**",
        row["note"],
    ]


def _growth_cells(row: dict) -> list[str]:
    method = METHODS[row["method"]]
    sizes, seconds = row["sizes"], row["seconds"]
    return [
        method.title,
        method.cost,
        method.name_of(row["variable"]),
        f"{sizes[0]:,} to {sizes[-1]:,}",
        f"{seconds[0]:.3g} to {seconds[-1]:.3g}",
        str(method.axes[row["variable"]].expected),
        f"{round(row['exponent'], 2) + 0.0:.2f}",  # no minus zero
    ]


def _table(head: str, rows: Iterable[list[str]]) -> str:
    names = head.split(" | ")
    lines = [names, ["---"] * len(names), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
