/* A box above each table of the matrix: rows stay that hold every word. Without this script the tables are complete. */
(function () {
  for (const box of document.querySelectorAll(".matrix")) {
    const rows = Array.from(box.querySelectorAll("tbody tr"));
    if (!rows.length) continue;
    const words = rows.map((row) => Array.from(row.cells, (cell) => cell.textContent).join(" ").toLowerCase());
    const label = document.createElement("label");
    label.className = "matrix-filter";
    label.append("Filter " + box.dataset.label + ": ");
    const input = document.createElement("input");
    input.type = "search";
    input.placeholder = "2.15 win_amd64";
    label.append(input);
    const count = document.createElement("output");
    count.className = "matrix-count";
    const show = () => {
      const wanted = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      rows.forEach((row, number) => {
        const fits = wanted.every((word) => words[number].includes(word));
        row.hidden = !fits;
        if (fits) shown += 1;
      });
      count.textContent = shown + " of " + rows.length + " rows";
    };
    input.addEventListener("input", show);
    box.before(label, count);
    show();
  }
})();
