"""Whom to cite for a data set, as BibTeX.

The authors of the data, and of the collection or the edition it is taken from. Pages
are given only where sources agree on them.
"""

from mlbench.data.catalogue import entry_named

# Collections, by the folder of their files.
COLLECTIONS = {
    "yahoo": ("ueda2002",),
    "lamda": ("ueda2002", "zhang2007"),
    "mulan": ("tsoumakas2011",),
    "keel": ("alcala2011",),
}

SETS = {
    "bibtex": "katakis2008",
    "birds": "briggs2013",
    "cal500": "turnbull2008",
    "corel5k": "duygulu2002",
    "delicious": "tsoumakas2008",
    "emotions": "trohidis2008",
    "enron": "klimt2004",
    "flags": "goncalves2013",
    "letter": "frey1991",
    "mediamill": "snoek2006",
    "medical": "pestian2007",
    "scene": "boutell2004",
    "tmc2007-500": "srivastava2005",
    "yeast": "elisseeff2001",
}


def citations(name: str) -> list[str]:
    r"""BibTeX entries of the works to cite for a data set of the catalogue.

    >>> print(citations("yeast")[0])
    @inproceedings{elisseeff2001,
      author = {Elisseeff, Andr{\'e} and Weston, Jason},
      title = {A kernel method for multi-labelled classification},
      booktitle = {Advances in Neural Information Processing Systems 14},
      year = {2001}
    }
    """
    entry = entry_named(name)
    own = [SETS[name]] if name in SETS else []
    collection = entry.files[0].path.partition("/")[0]
    return [WORKS[key] for key in [*own, *COLLECTIONS[collection]]]


def _work(kind: str, key: str, **fields: str) -> str:
    lines = ",\n".join(f"  {field} = {{{value}}}" for field, value in fields.items())
    return f"@{kind}{{{key},\n{lines}\n}}"


def _article(key: str, **fields: str) -> tuple[str, str]:
    return key, _work("article", key, **fields)


def _in_proceedings(key: str, **fields: str) -> tuple[str, str]:
    return key, _work("inproceedings", key, **fields)


WORKS = dict(
    [
        _article(
            "alcala2011",
            author="Alcal{\\'a}-Fdez, J. and Fern{\\'a}ndez, A. and Luengo, J. and "
            "Derrac, J. and Garc{\\'i}a, S. and S{\\'a}nchez, L. and Herrera, F.",
            title="{KEEL} data-mining software tool: data set repository, integration "
            "of algorithms and experimental analysis framework",
            journal="Journal of Multiple-Valued Logic and Soft Computing",
            volume="17",
            number="2-3",
            pages="255--287",
            year="2011",
        ),
        _article(
            "boutell2004",
            author="Boutell, Matthew R. and Luo, Jiebo and Shen, Xipeng and Brown, "
            "Christopher M.",
            title="Learning multi-label scene classification",
            journal="Pattern Recognition",
            volume="37",
            number="9",
            pages="1757--1771",
            year="2004",
        ),
        _in_proceedings(
            "briggs2013",
            author="Briggs, Forrest and others",
            title="The 9th annual {MLSP} competition: new methods for acoustic "
            "classification of multiple simultaneous bird species in a noisy "
            "environment",
            booktitle="IEEE International Workshop on Machine Learning for Signal "
            "Processing",
            year="2013",
        ),
        _in_proceedings(
            "duygulu2002",
            author="Duygulu, Pinar and Barnard, Kobus and de Freitas, Nando and "
            "Forsyth, David",
            title="Object recognition as machine translation: learning a lexicon for a "
            "fixed image vocabulary",
            booktitle="European Conference on Computer Vision",
            pages="97--112",
            year="2002",
        ),
        _in_proceedings(
            "elisseeff2001",
            author="Elisseeff, Andr{\\'e} and Weston, Jason",
            title="A kernel method for multi-labelled classification",
            booktitle="Advances in Neural Information Processing Systems 14",
            year="2001",
        ),
        _article(
            "frey1991",
            author="Frey, Peter W. and Slate, David J.",
            title="Letter recognition using {Holland}-style adaptive classifiers",
            journal="Machine Learning",
            volume="6",
            number="2",
            pages="161--182",
            year="1991",
        ),
        _in_proceedings(
            "goncalves2013",
            author="Gon{\\c c}alves, Eduardo C. and Plastino, Alexandre and Freitas, "
            "Alex A.",
            title="A genetic algorithm for optimizing the label ordering in "
            "multi-label classifier chains",
            booktitle="IEEE International Conference on Tools with Artificial "
            "Intelligence",
            pages="469--476",
            year="2013",
        ),
        _in_proceedings(
            "katakis2008",
            author="Katakis, Ioannis and Tsoumakas, Grigorios and Vlahavas, Ioannis",
            title="Multilabel text classification for automated tag suggestion",
            booktitle="ECML PKDD Discovery Challenge",
            year="2008",
        ),
        _in_proceedings(
            "klimt2004",
            author="Klimt, Bryan and Yang, Yiming",
            title="The {Enron} corpus: a new dataset for email classification research",
            booktitle="European Conference on Machine Learning",
            pages="217--226",
            year="2004",
        ),
        _in_proceedings(
            "pestian2007",
            author="Pestian, John P. and Brew, Christopher and Matykiewicz, Pawel and "
            "Hovermale, D. J. and Johnson, Neil and Cohen, K. Bretonnel and Duch, "
            "Wlodzislaw",
            title="A shared task involving multi-label classification of clinical free "
            "text",
            booktitle="Biological, Translational, and Clinical Language Processing",
            pages="97--104",
            year="2007",
        ),
        _in_proceedings(
            "snoek2006",
            author="Snoek, Cees G. M. and Worring, Marcel and van Gemert, Jan C. and "
            "Geusebroek, Jan-Mark and Smeulders, Arnold W. M.",
            title="The challenge problem for automated detection of 101 semantic "
            "concepts in multimedia",
            booktitle="ACM International Conference on Multimedia",
            pages="421--430",
            year="2006",
        ),
        _in_proceedings(
            "srivastava2005",
            author="Srivastava, Ashok N. and Zane-Ulman, Brett",
            title="Discovering recurring anomalies in text reports regarding complex "
            "space systems",
            booktitle="IEEE Aerospace Conference",
            pages="3853--3862",
            year="2005",
        ),
        _in_proceedings(
            "trohidis2008",
            author="Trohidis, Konstantinos and Tsoumakas, Grigorios and Kalliris, "
            "George and Vlahavas, Ioannis",
            title="Multi-label classification of music into emotions",
            booktitle="International Conference on Music Information Retrieval",
            year="2008",
        ),
        _in_proceedings(
            "tsoumakas2008",
            author="Tsoumakas, Grigorios and Katakis, Ioannis and Vlahavas, Ioannis",
            title="Effective and efficient multilabel classification in domains with "
            "large number of labels",
            booktitle="ECML PKDD Workshop on Mining Multidimensional Data",
            year="2008",
        ),
        _article(
            "tsoumakas2011",
            author="Tsoumakas, Grigorios and Spyromitros-Xioufis, Eleftherios and "
            "Vilcek, Jozef and Vlahavas, Ioannis",
            title="{MULAN}: a {Java} library for multi-label learning",
            journal="Journal of Machine Learning Research",
            volume="12",
            pages="2411--2414",
            year="2011",
        ),
        _article(
            "turnbull2008",
            author="Turnbull, Douglas and Barrington, Luke and Torres, David and "
            "Lanckriet, Gert",
            title="Semantic annotation and retrieval of music and sound effects",
            journal="IEEE Transactions on Audio, Speech, and Language Processing",
            volume="16",
            number="2",
            pages="467--476",
            year="2008",
        ),
        _in_proceedings(
            "ueda2002",
            author="Ueda, Naonori and Saito, Kazumi",
            title="Parametric mixture models for multi-labeled text",
            booktitle="Advances in Neural Information Processing Systems 15",
            year="2002",
        ),
        _article(
            "zhang2007",
            author="Zhang, Min-Ling and Zhou, Zhi-Hua",
            title="{ML-KNN}: a lazy learning approach to multi-label learning",
            journal="Pattern Recognition",
            volume="40",
            number="7",
            pages="2038--2048",
            year="2007",
        ),
    ]
)
