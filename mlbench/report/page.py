"""One HTML file for an experiment, and one over all: read from disk, no network.

Everything is inside the file: style, script, and the numbers as JSON, from which the
script makes tables and figures. A policy in the head forbids whatever is not, and
lets only this style and this script run. The same records give the same bytes.
"""

import json
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Iterator
from hashlib import sha256
from importlib.resources import files
from math import isfinite
from typing import Any

import pandas as pd
import yaml

from mlbench.config import Experiment
from mlbench.config.paper import OVER_DATASETS
from mlbench.metrics import METRICS
from mlbench.report.build import Report
from mlbench.report.claims import HOLDS
from mlbench.report.frame import cell_value, latest, of_experiment
from mlbench.report.published import (
    NEAR,
    QUITE_NEAR,
    STANDARD_ERRORS,
    VERDICTS,
    Comparison,
    comparison_tables,
)
from mlbench.report.tables import Table, Value, over_datasets, tables
from mlbench.store import Record

PAGE = "report.html"  # beside the records of its experiment
INDEX = "index.html"  # in the folder of all experiments

OVER_ALL = "mean over the data sets"
RULE = (
    f"Reproduced: within {100 * NEAR:g} %, half a unit of the last printed digit, or "
    f"{STANDARD_ERRORS} standard errors of our mean over random splits. Close: "
    f"within {100 * QUITE_NEAR:g} %. Better, differs: further off, to the good or the "
    "bad side."
)
FIGURES = 6  # significant digits that are kept: the tables print fewer
KEY = 12  # characters of a key that are kept: enough to find its record
TOP = 10  # features of a ranking that are named


def page(report: Report, records: Iterable[Record]) -> str:
    """The page of one experiment, from its report and its records."""
    experiment = report.experiment
    kept = of_experiment(experiment, latest(records))
    makers = _makers(kept)
    data = {
        "methods": list(experiment.methods),
        "results": _results(report),
        "against": [_comparison(item) for item in report.against],
        "more": [_more(made) for made in report.more],
        "trials": _trials(experiment, kept, list(makers)),
    }
    return _render(
        "page.html.j2",
        ["table.js", "figure.js", "page.js"],
        data,
        report=report,
        experiment=experiment,
        results=bool(data["results"]),
        title=experiment.title or experiment.name,
        settings=_settings(experiment),
        tallies=_tallies(report.against),
        rule=RULE,
        printed=[_more(made) for made in comparison_tables(experiment, report.against)],
        verdicts=_present(report.against),
        more=data["more"],
        makers=list(makers.values()),
        trials=len(kept),
        failed=sum(record["status"] == "failed" for record in kept),
        measured=len(experiment.datasets) - len(report.missing),
    )


def index(reports: Iterable[Report]) -> str:
    """The page over several experiments, with a link to the page of each."""
    reports = list(reports)
    verdicts = _present([item for made in reports for item in made.against])
    data = {"verdicts": verdicts, "experiments": [_line(made) for made in reports]}
    return _render(
        "index.html.j2",
        ["table.js", "index.js"],
        data,
        title="Experiments",
        count=len(reports),
    )


def _line(report: Report) -> dict[str, Any]:
    """What the index says of one experiment."""
    experiment = report.experiment
    claims = Counter(judged.verdict for judged in report.claims)
    return {
        "name": experiment.name,
        "page": f"{experiment.name}/{PAGE}",
        "title": experiment.title or experiment.name,
        "reference": experiment.reference,
        "datasets": len(experiment.datasets) - len(report.missing),
        "wanted": len(experiment.datasets),
        "methods": len(experiment.methods),
        "verdicts": dict(Counter(item.verdict for item in report.against)),
        "holding": claims[HOLDS],
        "claims": len(report.claims),
        "failed": len(report.failed),
    }


def _render(name: str, scripts: list[str], data: dict, **values: Any) -> str:
    # Imported here: a report in Markdown does without it.
    from jinja2 import Environment, FunctionLoader, StrictUndefined
    from jinja2.utils import htmlsafe_json_dumps

    environment = Environment(
        loader=FunctionLoader(_source),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    style = _source("page.css")
    # One block, so that what the parts share is not seen from outside.
    script = '"use strict";\n{\n' + "\n".join(map(_source, scripts)) + "}\n"
    return environment.get_template(name).render(
        style=style,
        script=script,
        policy=_policy(style, script),
        data=htmlsafe_json_dumps(data, separators=(",", ":"), allow_nan=False),
        **values,
    )


def _source(name: str) -> str:
    return files("mlbench.report").joinpath("templates", name).read_text("utf-8")


def _policy(style: str, script: str) -> str:
    """Nothing from anywhere, and of what is in the file only this."""
    return (
        f"default-src 'none'; style-src '{_digest(style)}'; "
        f"script-src '{_digest(script)}'; base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def _number(value: float | None) -> float | None:
    if value is None or not isfinite(value):
        return None
    return float(f"{value:.{FIGURES}g}")


def _comparison(item: Comparison) -> list[Any]:
    """One printed number and ours, in the order page.js reads them."""
    return [
        item.where,
        _over(item.dataset),
        METRICS[item.metric].title,
        item.method,
        item.published,
        item.published_deviation,
        _number(item.measured),
        _number(item.measured_deviation),
        _number(item.difference),
        item.verdict,
    ]


def _over(dataset: str) -> str:
    return OVER_ALL if dataset == OVER_DATASETS else dataset


def _present(against: list[Comparison]) -> list[str]:
    """The verdicts there are, best first."""
    found = {item.verdict for item in against}
    return [verdict for verdict in VERDICTS if verdict in found]


def _tallies(against: list[Comparison]) -> list[dict[str, Any]]:
    """How often each verdict fell, for each published table."""
    counted: dict[tuple[str, str], Counter] = {}
    for item in against:
        place = (item.where, _over(item.dataset))
        counted.setdefault(place, Counter())[item.verdict] += 1
    return [
        {"where": where, "dataset": dataset, "counts": counts, "all": counts.total()}
        for (where, dataset), counts in counted.items()
    ]


def _results(report: Report) -> list[dict[str, Any]]:
    """For each metric the rows of its table: every data set, then their mean."""
    found = []
    for metric in report.experiment.metrics:
        frame = report.frame[report.frame["metric"] == metric]
        if frame.empty:
            continue
        rows: list[list] = []
        for part in _parts(frame):
            rows += _rows(report.experiment, part)
        about = METRICS[metric]
        found.append(
            {
                "metric": about.title,
                "better": about.better,
                "convention": about.convention,
                "rows": rows,
            }
        )
    return found


def _parts(frame: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """Each data set by itself, then the mean of what all of them have."""
    for _, part in frame.groupby("dataset", sort=False):
        yield part
    datasets = frame["dataset"].nunique()
    count = frame.groupby(["method", "request", "setting"])["dataset"]
    complete = frame[count.transform("nunique") == datasets]
    if datasets > 1 and not complete.empty:
        yield over_datasets(complete)


def _rows(experiment: Experiment, frame: pd.DataFrame) -> list[list[Any]]:
    """Data set, dimension, setting, then a number for every method."""
    (made,) = tables(experiment, frame)
    dataset = _over(frame["dataset"].iloc[0])
    columns = frame["method"].nunique()  # the last ones
    keys, methods = made.head[1:-columns], made.head[-columns:]
    rows = []
    for row in made.rows:
        place = dict(zip(keys, row[1:-columns], strict=True))
        cells = dict(zip(methods, row[-columns:], strict=True))
        labels = [dataset, place.get("dim", ""), place.get("setting", "")]
        rows.append([*labels, *(_cell(cells.get(name)) for name in experiment.methods)])
    return rows


def _cell(value: Any) -> list[Any] | None:
    """Mean, deviation and whether it is the best of its row."""
    if not isinstance(value, Value):
        return None
    return [_number(value.mean), _number(value.deviation), int(value.best)]


def _more(made: Table) -> dict[str, Any]:
    """A table as it is in the text."""
    rows = [[v.text if isinstance(v, Value) else v for v in row] for row in made.rows]
    return {"title": made.title, "head": made.head, "rows": rows, "notes": made.notes}


def _trials(experiment: Experiment, records: list[Record], makers: list[str]) -> dict:
    """Every record, a column a field: what repeats is written once."""
    details = [_details(record, makers) for record in records]
    names = dict.fromkeys(name for detail in details for name in detail)
    return {
        "count": len(records),
        "fields": {
            name: _column([detail.get(name) for detail in details]) for name in names
        },
        "metrics": {
            METRICS[name].title: _column(
                [_number(record["metrics"].get(name)) for record in records]
            )
            for name in experiment.metrics
        },
    }


def _column(values: list[Any]) -> dict[str, list]:
    """The distinct values and where each is, if that is shorter than the values."""
    distinct = {value: place for place, value in enumerate(dict.fromkeys(values))}
    if len(distinct) > len(values) / 2:
        return {"values": values}
    return {"values": list(distinct), "at": [distinct[value] for value in values]}


def _details(record: Record, makers: list[str]) -> dict[str, Any]:
    """What the page tells of one record; what is not there is left out."""
    seconds = record.get("seconds", {})
    told = {
        "data set": record["dataset"],
        "method": record["method"],
        "dim asked": record["request"],
        "dim": record["dim"],
        "setting": cell_value(record, "setting"),
        "split": record["repeat"],
        "status": record["status"],
        "reason": record.get("error"),
        "chosen": _text(record.get("chosen", {})),
        "inner score": _number(record.get("reached")),
        "fit, s": _number(seconds.get("fit")),
        "fit serves": record.get("fit_serves"),
        "transform, s": _number(seconds.get("transform")),
        "predict, s": _number(seconds.get("predict")),
        "whole trial, s": record.get("trial_seconds"),
        "peak memory, MB": record.get("peak_mb"),
        "rank": record.get("rank"),
        "training samples": record.get("n_train"),
        "test samples": record.get("n_test"),
        "features": record.get("n_features"),
        "labels": record.get("n_labels"),
        "top features": _ranking(record.get("features", {})),
        "reducer": _component(record.get("reducer", {})),
        "classifier": _component(record.get("classifier", {})),
        "preprocessing": _text(record.get("preprocess", {})),
        "splitting": _text(record.get("split", {})),
        "seed": record.get("seed"),
        "data": record.get("data", "")[:KEY],
        "key": record["key"][:KEY],
        "started": record.get("provenance", {}).get("started"),
        "made by": makers.index(_maker(record)) + 1,
    }
    return {name: value for name, value in told.items() if value not in (None, "")}


def _ranking(found: dict[str, Any]) -> str:
    return ", ".join(str(each["name"]) for each in found.get("top", [])[:TOP])


def _component(component: dict[str, dict]) -> str:
    """``mlknn (k = 10)``."""
    return ", ".join(
        f"{name} ({_text(settings)})" if settings else name
        for name, settings in component.items()
    )


def _text(settings: dict[str, Any]) -> str:
    """``k = 10, s = 1``; what is None was not set."""
    return ", ".join(f"{k} = {v}" for k, v in settings.items() if v is not None)


def _maker(record: Record) -> str:
    """What made a record, as text: all its provenance but the time."""
    about = record.get("provenance", {})
    return json.dumps({k: v for k, v in about.items() if k != "started"})


def _makers(records: list[Record]) -> dict[str, dict[str, Any]]:
    """The programs and machines the records come from, in order of appearance."""
    blank: dict[str, Any] = {"commit": None, "versions": {}, "blas": []}
    blank |= {"machine": None, "cpu": None, "records": 0}
    found: dict[str, dict[str, Any]] = {}
    for record in records:
        about = blank | json.loads(_maker(record))
        maker = found.setdefault(_maker(record), about | {"times": []})
        maker["records"] += 1
        maker["times"] += filter(None, [record.get("provenance", {}).get("started")])
    for maker in found.values():
        times = maker.pop("times")
        maker["started"] = " to ".join(
            sorted({min(times), max(times)}) if times else []
        )
    return found


def _settings(experiment: Experiment) -> str:
    """The config in force, with the defaults it relies on."""
    elsewhere = {"title", "reference", "published", "published_columns"}
    elsewhere |= {"claims", "assumptions"}
    whole = experiment.model_dump(mode="json", exclude=elsewhere, exclude_none=True)
    return yaml.safe_dump(whole, sort_keys=False, allow_unicode=True)
