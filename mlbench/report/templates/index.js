{
  const columns = [
    {
      title: "experiment",
      header: true,
      value: (row) => [row.name, row.title, row.reference].join("\n"),
      wrap: true,
      show: (row) => [
        el("a", { href: row.page }, row.name),
        el("span", { className: "under" }, row.title),
        el("span", { className: "under" }, row.reference),
      ],
    },
    ...data.verdicts.map((verdict) => ({
      title: verdict,
      number: true,
      value: (row) => row.verdicts[verdict] ?? null,
    })),
    {
      title: "claims that hold",
      number: true,
      value: (row) => (row.claims ? row.holding / row.claims : null),
      show: (row) => [row.claims ? `${row.holding} of ${row.claims}` : ""],
    },
    {
      title: "data sets",
      number: true,
      value: (row) => row.datasets,
      show: ({ datasets, wanted }) => [
        datasets < wanted ? `${datasets} of ${wanted}` : String(datasets),
      ],
    },
    { title: "methods", number: true, value: (row) => row.methods },
    {
      title: "failed cells",
      number: true,
      value: (row) => row.failed,
      show: (row) => [el("span", { className: row.failed ? "best" : "none" }, String(row.failed))],
    },
  ];
  part("experiments").append(...table("Experiments", columns, data.experiments));
}
