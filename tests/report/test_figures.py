"""Figures, looked at through matplotlib's own objects; written twice, compared."""

import subprocess
import sys
import warnings
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
import yaml
from matplotlib import rc_context
from matplotlib.figure import Figure
from numpy.testing import assert_allclose

from mlbench.config import load_experiment
from mlbench.errors import ResultsError
from mlbench.feature_study import column
from mlbench.report.build import build
from mlbench.report.figures import (
    against_time,
    beside_printed,
    columns_against_fisher,
    critical_difference,
    figures_of,
    over_datasets,
    over_dimension,
    over_setting,
    printed_figures,
    save,
)
from mlbench.report.figures.choose import by_panel
from mlbench.report.figures.style import HUES, LINES, MARKERS, plain, styles
from mlbench.report.published import Comparison
from mlbench.store import Store
from tests.report.test_report import CONFIG, record, records

METHODS = ["ORI", "A", "B"]
NASTY = [
    "a_b%c&d",
    "<script>alert(1)</script>",
    r"\input{x}",
    r"$\frac$ $",
    "_hidden",
    "# ~ ^ ± Ó é 中 \x07",
    "a name so long that it would leave no room for anything else",
]


def points(panels=("emotions",), deviation=0.01):
    """ORI level, A and B over three dimensions, out of order."""
    rows = []
    for shift, panel in enumerate(panels):
        rows.append((panel, "ORI", np.nan, 0.3 + shift, deviation))
        for at, method in enumerate(("A", "B")):
            for x in (40, 10, 20):
                mean = 0.1 * at + x / 1000 + shift
                rows.append((panel, method, x, mean, deviation))
    columns = ["panel", "method", "x", "mean", "deviation"]
    return pd.DataFrame(rows, columns=columns)


def lines(ax):
    """The (x, y) of every line of some axes."""
    return [np.array(line.get_data(), dtype=float) for line in ax.get_lines()]


def names(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


def words(figure):
    """Everything that is written in a figure."""
    return [
        text.get_text() for text in figure.findobj(lambda x: hasattr(x, "get_text"))
    ]


def test_lines_over_the_dimension_are_the_numbers_in_order():
    figure = over_dimension(points(), METHODS, "hamming_loss", "number")
    (ax,) = figure.axes
    level, a, b = lines(ax)
    assert_allclose(level, [[10, 40], [0.3, 0.3]])
    assert_allclose(a, [[10, 20, 40], [0.01, 0.02, 0.04]])
    assert_allclose(b, [[10, 20, 40], [0.11, 0.12, 0.14]])


def test_bands_are_one_deviation_to_both_sides():
    figure = over_dimension(points(), METHODS, "hamming_loss", "number")
    band = figure.axes[0].collections[1].get_paths()[0].vertices
    at_20 = sorted(set(np.round(band[band[:, 0] == 20, 1], 6)))
    assert at_20 == [0.01, 0.03]
    assert "deviation" in figure.legends[0].get_title().get_text()


def test_one_split_has_no_bands_and_says_nothing_of_them():
    frame = points(deviation=np.nan)
    figure = over_dimension(frame, METHODS, "hamming_loss", "number")
    assert not figure.axes[0].collections
    assert figure.legends[0].get_title().get_text() == ""


def test_axes_say_the_unit_and_the_good_side():
    figure = over_dimension(points(), METHODS, "average_precision", "% of all")
    assert figure.get_supxlabel() == "kept dimensions (% of all)"
    assert figure.get_supylabel() == "Average precision (higher is better)"
    assert figure.get_suptitle() == "Average precision over the dimension"


def test_each_data_set_has_its_panel():
    panels = ["a", "b", "c", "d"]
    figure = over_dimension(points(panels), METHODS, "hamming_loss", "number")
    assert [ax.get_title() for ax in figure.axes] == panels
    for shift, ax in enumerate(figure.axes):
        assert_allclose(lines(ax)[1][1], np.array([0.01, 0.02, 0.04]) + shift)


def test_the_legend_names_every_method_once_in_order():
    figure = over_dimension(points(["a", "b"]), METHODS, "hamming_loss", "number")
    assert names(figure) == METHODS


def test_a_method_looks_the_same_when_another_is_missing():
    def look(frame):
        figure = over_dimension(frame, METHODS, "hamming_loss", "number")
        line = figure.axes[0].get_lines()[-1]
        return line.get_color(), line.get_marker(), line.get_linestyle()

    frame = points()
    assert look(frame) == look(frame[frame["method"] == "B"])


def test_methods_differ_without_colour():
    many = styles(map(str, range(len(MARKERS) * len(LINES)))).values()
    assert len({(style.marker, str(style.linestyle)) for style in many}) == len(many)
    neighbours = list(many)[: len(LINES)]
    assert len({str(style.linestyle) for style in neighbours}) == len(LINES)
    assert len({style.color for style in list(many)[: len(HUES)]}) == len(HUES)


def test_few_values_of_a_setting_are_each_marked():
    figure = over_setting(points(), METHODS, "hamming_loss", "k")
    (ax,) = figure.axes
    assert_allclose(ax.get_xticks(), [10, 20, 40])
    assert figure.get_supxlabel() == "k"


def test_values_that_are_words_stand_beside_each_other():
    frame = points()
    frame = frame.assign(x=frame["x"].map({10: "few", 20: "some", 40: "many"}))
    (ax,) = over_setting(frame, METHODS, "hamming_loss", "size").axes
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["many", "few", "some"]
    assert_allclose(lines(ax)[1], [[0, 1, 2], [0.04, 0.01, 0.02]])
    assert_allclose(lines(ax)[0][0], [0, 2])


def boxes(panels=("",), values=(0.4, 0.1, 0.2, 0.3)):
    rows = [
        (panel, f"set {at}", method, value + (method == "B"))
        for panel in panels
        for method in ("A", "B")
        for at, value in enumerate(values)
    ]
    return pd.DataFrame(rows, columns=["panel", "dataset", "method", "mean"])


def test_a_box_has_its_quartiles_and_every_data_set():
    figure = over_datasets(boxes(), METHODS, "hamming_loss")
    (ax,) = figure.axes
    drawn = lines(ax)
    box, dots = drawn[0], drawn[6]  # box, 2 whiskers, 2 caps, median, dots
    assert_allclose([box[1].min(), box[1].max()], [0.175, 0.325])
    assert_allclose(drawn[5][1], 0.25)
    assert_allclose(dots[1], [0.1, 0.2, 0.3, 0.4])
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["A", "B"]
    assert figure.get_suptitle() == "Hamming loss over 4 data sets"


def test_boxes_at_several_dimensions_share_their_scale():
    frame = pd.concat([boxes(["2"]), boxes(["4"]).assign(mean=5.0)])
    left, right = over_datasets(frame, METHODS, "hamming_loss").axes
    assert left.get_ylim() == right.get_ylim()


def timed(seconds, means=(0.1, 0.2)):
    rows = [("x", "A", s, m) for s, m in zip(seconds, means, strict=True)]
    return pd.DataFrame(rows, columns=["panel", "method", "seconds", "mean"])


def test_time_is_on_a_log_axis_and_sweeps_keep_their_order():
    figure = against_time(timed([3.0, 0.5]), METHODS, "hamming_loss")
    (ax,) = figure.axes
    assert ax.get_xscale() == "log"
    assert_allclose(lines(ax)[0], [[3.0, 0.5], [0.1, 0.2]])
    assert "seconds" in figure.get_supxlabel()
    assert "counts in full" in figure.legends[0].get_title().get_text()


def test_seconds_on_the_axis_are_written_out():
    figure = against_time(timed([0.12, 0.9]), METHODS, "hamming_loss")
    figure.draw_without_rendering()
    shown = [tick.get_text() for tick in figure.axes[0].get_xticklabels()]
    assert {"0.2", "0.5"} <= set(shown)
    assert not [text for text in shown if "mathdefault" in text]


RANKS = {"A": 1.5, "B": 1.0, "C": 3.5}


def test_the_diagram_of_ranks_names_every_method_with_its_rank():
    text = words(critical_difference(RANKS, 0.75, [["A", "B"]], "t"))
    assert {"B  1.00", "A  1.50", "3.50  C", "critical difference 0.75"} <= set(text)


def test_a_bar_joins_a_clique_from_best_to_worst():
    (ax,) = critical_difference(RANKS, 0.75, [["A", "B"], ["C"]], "t").axes
    bars = [line.get_xdata() for line in ax.get_lines() if line.get_linewidth() > 2]
    assert_allclose(bars, [[1.0, 1.5]], atol=0.05)
    difference = next(line for line in ax.get_lines() if line.get_marker() == "|")
    assert_allclose(np.ptp(difference.get_xdata()), 0.75)


def test_a_clique_of_an_unknown_method_is_refused():
    with pytest.raises(ValueError, match="methods that have a rank, got 'D'"):
        critical_difference(RANKS, 0.75, [["A", "D"]])


def test_a_column_of_w_is_drawn_sorted_against_its_fisher_scores():
    figure = columns_against_fisher(
        [([0.5, 0.0, 1.0], [1, 2, 3]), ([0, 0, 0], [1, 2, 3])], [0.25, None]
    )
    left, right = figure.axes
    assert_allclose(lines(left)[0], [[0, 0.5, 1], [2, 1, 3]])
    assert left.get_title() == "column 1 (ends: ρ = +0.25)"
    assert right.get_title() == "column 2 (ends: ρ not defined)"


def many_sets(count):
    rows = [
        (f"set {at}", "A", "2", "", 2, 0.1 * at, 0.01 * (at + 1)) for at in range(count)
    ]
    rows.append(("set 0", "B", "2", "", 2, 0.1, 0.1))  # nowhere else
    columns = ["dataset", "method", "request", "setting", "dim", "mean", "deviation"]
    return pd.DataFrame(rows, columns=columns)


def test_six_data_sets_are_shown_and_of_seven_the_mean():
    assert by_panel(many_sets(6))["panel"].nunique() == 6
    found = by_panel(many_sets(7))
    assert list(found["method"]) == ["A"]  # B is not on every data set
    assert found["panel"].item() == "mean over 7 data sets"
    assert_allclose(found["mean"].item(), 0.3)


def test_the_band_of_a_mean_is_that_of_independent_splits():
    found = by_panel(many_sets(7))["deviation"].item()
    rng = np.random.default_rng(0)
    spread = 0.01 * np.arange(1, 8)
    simulated = rng.normal(scale=spread, size=(200_000, 7)).mean(axis=1).std()
    assert_allclose(found, simulated, rtol=0.01)


def test_the_mean_of_single_splits_has_no_band():
    frame = many_sets(7)
    frame.loc[3, "deviation"] = np.nan
    assert np.isnan(by_panel(frame)["deviation"].item())


@pytest.fixture
def made(tmp_path):
    """The figures of some records, and the frame they are made from."""

    def made(written, **changes):
        config = tmp_path / "toy.yaml"
        keys = {key: x for key, x in (CONFIG | changes).items() if x is not None}
        config.write_text(yaml.safe_dump(keys, sort_keys=False))
        store = Store(tmp_path / "results" / "toy")
        with store.writing():
            store.append(written)
        experiment = load_experiment(config)
        report = build(experiment, tmp_path / "results")
        kept = list(store.records().values())
        return figures_of(experiment, report.frame, kept), report.frame

    return made


def with_seconds(found, of=lambda record: 1.0):
    for item in found:
        yield item | {"seconds": {"fit": of(item), "predict": 1.0}}


def test_a_sweep_has_figures_over_the_dimension_and_boxes(made):
    figures, frame = made(records())
    assert list(figures) == [
        "hamming_loss-over-dimension",
        "hamming_loss-boxes",
        "average_precision-over-dimension",
        "average_precision-boxes",
    ]
    figure = figures["hamming_loss-over-dimension"]
    for ax in figure.axes:
        here = frame[frame["dataset"].eq(ax.get_title())]
        here = here[here["metric"] == "hamming_loss"]
        level, *moving = lines(ax)
        assert_allclose(level[1], here.loc[here["method"] == "ORI", "mean"].item())
        for line, method in zip(moving, "AB", strict=True):
            part = here[here["method"] == method]
            assert_allclose(line, [part["dim"], part["mean"]])
    assert [ax.get_title() for ax in figures["hamming_loss-boxes"].axes] == [
        "dimension 2",
        "dimension 4",
    ]


def test_boxes_of_a_fixed_method_stand_at_every_dimension(made):
    figures, _ = made(records())
    for ax in figures["hamming_loss-boxes"].axes:
        assert [tick.get_text() for tick in ax.get_xticklabels()] == METHODS
        assert_allclose(lines(ax)[6][1], [0.3, 0.35, 0.4])  # the dots of ORI


def test_two_data_sets_have_no_boxes(made):
    figures, _ = made(records(["emotions", "yeast"]))
    assert "hamming_loss-boxes" not in figures


def test_seconds_are_summed_over_the_parts_and_averaged_over_the_splits(made):
    def of(item):
        return 2.0 if item["repeat"] else 4.0

    figures, frame = made(with_seconds(records(), of))
    ax = figures["hamming_loss-against-time"].axes[0]
    level, a, _ = lines(ax)
    assert_allclose(level[0], [4.0])  # fit 3 on average, prediction 1
    here = frame[(frame["dataset"] == "emotions") & (frame["method"] == "A")]
    assert_allclose(a[1], here.loc[here["metric"] == "hamming_loss", "mean"])


def fractions(item):
    request = {"2": "0.2", "4": "0.4"}.get(item["request"], item["request"])
    return item | {"request": request, "key": item["key"] + "f"}


def test_fractions_are_shown_in_percent(made):
    figures, _ = made(map(fractions, records()), dims=[0.2, 0.4])
    figure = figures["hamming_loss-over-dimension"]
    assert figure.get_supxlabel() == "kept dimensions (% of all)"
    assert_allclose(lines(figure.axes[0])[1][0], [20, 40])


def varied(values):
    for item in records(["emotions"]):
        if item["request"] in ("1.0", "2"):
            for value in values:
                setting = {"setting": {"k": value}, "key": f"{item['key']}/{value}"}
                metrics = {m: x + value / 100 for m, x in item["metrics"].items()}
                yield item | setting | {"metrics": metrics}


def test_a_varied_setting_has_a_figure_over_it(made):
    figures, _ = made(varied([5, 7, 9]), dims=2, vary={"k": [5, 7]})
    assert list(figures) == ["hamming_loss-over-k", "average_precision-over-k"]
    (ax,) = figures["hamming_loss-over-k"].axes
    assert_allclose(lines(ax)[1], [[5, 7], [0.25, 0.27]])  # 9 is not asked for


def test_a_sweep_at_several_settings_has_a_figure_for_each(made):
    written = [
        item
        | {"setting": {"k": k}, "key": f"{item['key']}/{k}"}
        | {"metrics": {"hamming_loss": k / 10, "average_precision": 0.5}}
        for item in records(["emotions"])
        for k in (5, 7)
    ]
    figures, _ = made(written, vary={"k": [5, 7]})
    for k in (5, 7):
        (ax,) = figures[f"hamming_loss-over-dimension-k-{k}"].axes
        assert_allclose(lines(ax)[1][1], k / 10)
    assert "hamming_loss-over-k" not in figures


def test_failed_records_are_no_points(made):
    failed = record("emotions", "B", 0, "9", 0, status="failed", error="no", dim=None)
    figures, _ = made([*records(["emotions"]), failed | {"metrics": {}}])
    (ax,) = figures["hamming_loss-over-dimension"].axes
    assert_allclose(lines(ax)[2][0], [2, 4])


def test_a_metric_without_numbers_has_no_figure(made):
    nothing = {"hamming_loss": 0.5, "average_precision": None}
    figures, _ = made(item | {"metrics": nothing} for item in records())
    assert not [name for name in figures if name.startswith("average")]


def test_a_study_of_features_shows_the_columns_of_each_factorization(made):
    rng = np.random.default_rng(0)
    W, fisher = rng.uniform(size=(2, 30)), rng.uniform(size=30)
    about = [column(values, fisher) for values in W]
    item = record("emotions", "N", 0, "1.0", 0)
    ranked = {"metrics": {}, "features": {"top": [], "agreement": None}}
    figures, _ = made(
        [
            item | ranked | {"features": ranked["features"] | {"columns": about}},
            record("emotions", "F", 0, "1.0", 0) | ranked,
        ],
        datasets=["emotions"],
        methods={"N": {"snmf": {"n_components": 2}}, "F": "fisher"},
        study="features",
        **dict.fromkeys(["metrics", "split"]),
    )
    assert list(figures) == ["emotions-N-fisher"]
    for ax, values in zip(figures["emotions-N-fisher"].axes, W, strict=True):
        x, y = lines(ax)[0]
        assert_allclose(y, fisher[np.argsort(values)], atol=1e-6)


EVERY_KIND = {
    "dimension": lambda: over_dimension(
        points(["a", "b"]), METHODS, "hamming_loss", "number"
    ),
    "setting": lambda: over_setting(points(), METHODS, "hamming_loss", "k"),
    "boxes": lambda: over_datasets(boxes(), METHODS, "hamming_loss"),
    "time": lambda: against_time(timed([3.0, 0.5]), METHODS, "hamming_loss"),
    "ranks": lambda: critical_difference(RANKS, 0.75, [["A", "B"]]),
    "columns": lambda: columns_against_fisher([([0, 1], [1, 2])], [0.5]),
}


@pytest.mark.parametrize(
    ("kind", "suffix"),
    [
        ("dimension", ".pdf"),
        ("dimension", ".png"),
        ("dimension", ".svg"),
        *((kind, ".svg") for kind in list(EVERY_KIND)[1:]),
    ],
)
def test_a_figure_made_again_is_the_same_to_the_byte(kind, suffix, tmp_path):
    first, again = tmp_path / f"1{suffix}", tmp_path / f"2{suffix}"
    for path in (first, again):
        save(EVERY_KIND[kind](), path)
    assert first.read_bytes() == again.read_bytes()
    # A date counts seconds: two files of one second would not tell.
    assert b"CreationDate" not in first.read_bytes()
    assert b"dc:date" not in first.read_bytes()


def test_the_settings_of_a_user_change_nothing(tmp_path):
    make = EVERY_KIND["columns"]
    save(make(), tmp_path / "a.svg")
    with rc_context({"font.size": 30, "axes.grid": False, "svg.hashsalt": "other"}):
        save(make(), tmp_path / "b.svg")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_names_that_are_markup_are_drawn_as_text(suffix, tmp_path):
    rows = [(NASTY[0], name, x, 0.1, 0.01) for name in NASTY for x in (1, 2)]
    frame = pd.DataFrame(rows, columns=list(points().columns))
    figure = over_dimension(frame, NASTY, "hamming_loss", "number")
    assert names(figure) == [plain(name) for name in NASTY]
    save(figure, tmp_path / f"lines{suffix}")
    if suffix == ".svg":
        ElementTree.parse(tmp_path / "lines.svg")
        assert "<script" not in (tmp_path / "lines.svg").read_text()


@pytest.mark.parametrize("kind", ["dimension", "setting", "time"])
def test_a_legend_is_inside_the_figure_and_covers_nothing(kind):
    figure = EVERY_KIND[kind]()
    figure.draw_without_rendering()  # places everything
    (drawn,) = figure.legends
    box = drawn.get_window_extent()
    assert box.x1 <= figure.bbox.width + 1
    assert 0 <= box.y0 < box.y1 <= figure.bbox.height + 1
    others = [*figure.axes, *(text for text in figure.texts if text.get_text())]
    assert not any(box.overlaps(other.get_window_extent()) for other in others)


def test_names_in_the_diagram_of_ranks_do_not_cover_each_other():
    ranks = {name: 1 + 0.4 * at for at, name in enumerate(NASTY)}
    figure = critical_difference(ranks, 1.0, [NASTY[:3], NASTY[2:]])
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        figure.draw_without_rendering()
    (ax,) = figure.axes
    boxes = [text.get_window_extent() for text in ax.texts]
    for at, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[:at])
        assert 0 <= box.x0 < box.x1 <= figure.bbox.width + 1


def test_a_figure_of_another_kind_of_file_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"one of .png, .svg, .pdf, got 'x.gif'"):
        save(Figure(), tmp_path / "x.gif")


def test_a_folder_that_is_not_there_is_one_line(tmp_path):
    with pytest.raises(ResultsError, match="cannot be written"):
        save(Figure(), tmp_path / "nowhere" / "x.png")


def test_matplotlib_is_loaded_only_when_a_figure_is_made():
    code = (
        "import sys, mlbench.report.figures, mlbench.report.latex; "
        "sys.exit('matplotlib' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def compared(method, printed, measured, metric="coverage", dataset="all"):
    return Comparison("Table 1", dataset, metric, method, printed, None, measured, None)


def test_a_printed_number_is_a_bar_and_ours_the_marker_of_its_method():
    found = [compared("B", 4.0, 4.5), compared("ORI", 3.0, 2.5), compared("A", 1, None)]
    (ax,) = beside_printed(found, METHODS, "Table 1").axes
    assert [text.get_text() for text in ax.get_yticklabels()] == ["ORI", "B"]
    marks = {
        (line.get_marker(), *line.get_xdata(), *line.get_ydata())
        for line in ax.lines
        if line.get_linestyle() == "None" and len(line.get_xdata())
    }
    look = styles(METHODS)
    assert marks == {
        ("|", 3.0, 0),
        ("|", 4.0, 1),
        (look["ORI"].marker, 2.5, 0),
        (look["B"].marker, 4.5, 1),
    }
    assert ax.get_ylim()[0] > ax.get_ylim()[1]  # as in a table, from the top


def test_every_printed_table_with_a_measured_number_has_a_figure(tmp_path):
    path = tmp_path / "toy.yaml"
    path.write_text(yaml.safe_dump(CONFIG))
    found = [
        compared("A", 1.0, 1.1),
        compared("A", 0.4, 0.3, metric="one_error"),
        compared("A", 1.0, 1.1, dataset="emotions"),
        compared("A", 1.0, None, dataset="scene"),
    ]
    made = printed_figures(load_experiment(path), found)
    assert list(made) == ["Table-1-printed", "Table-1-emotions-printed"]
    assert [len(figure.axes) for figure in made.values()] == [2, 1]
