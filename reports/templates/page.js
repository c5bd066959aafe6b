"use strict";
const root = document.documentElement;
const systemDark = matchMedia("(prefers-color-scheme: dark)");
const printing = matchMedia("print");
const NARROW = 640; // pixels of the page's width below which panels are stacked

const PAPER = 680; // pixels: A4 and letter without their margins

function isDark() {
  return !printing.matches && (root.dataset.theme ?? (systemDark.matches ? "dark" : "light")) === "dark";
}

function isNarrow() {
  return document.querySelector("main").clientWidth < NARROW;
}

// Figures ---------------------------------------------------------------------------------------

async function loadPlotly() {
  const packed = Uint8Array.from(atob(document.getElementById("plotly").textContent), (c) => c.charCodeAt(0));
  const script = document.createElement("script");
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  script.textContent = await new Response(stream).text();
  document.head.append(script);
}

// Puts the panels of a figure below each other, and makes it as much higher.
function stack(layout, panels) {
  const legend = -layout.legend.y * (layout.height - layout.margin.t - layout.margin.b);
  const ids = Object.keys(layout).filter((name) => name.startsWith("xaxis")).map((name) => name.slice(5));
  const rows = ids.length, edge = layout.margin.t + layout.margin.b;
  layout.height = (layout.height - edge) * panels * 0.8 + edge + 40 * rows;
  const gap = (layout.annotations ? 90 : 70) / (layout.height - edge);
  const share = (1 - gap * (rows - 1)) / rows;
  layout.legend.y = -legend / (layout.height - edge);
  ids.forEach((id, row) => {
    const top = 1 - row * (share + gap);
    Object.assign(layout["xaxis" + id], { domain: [0, 1], showticklabels: true });
    Object.assign(layout["yaxis" + id], { domain: [Math.max(0, top - share), top], showticklabels: true });
    if (!layout["yaxis" + id].title?.text) layout["yaxis" + id].title = layout.yaxis.title;
    const title = (layout.annotations ?? []).filter((a) => a.xref === "paper")[row];
    if (title) Object.assign(title, { x: 0.5, y: top });
  });
}

function draw(data) {
  const place = document.getElementById(data.dataset.figure);
  const colours = isDark() ? JSON.parse(document.getElementById("dark").textContent) : {};
  const text = data.textContent.replace(/#[0-9a-f]{6}\b/g, (colour) => colours[colour] ?? colour);
  const figure = JSON.parse(text);
  const { panels, least_width: least } = figure.layout.meta;
  place.style.minWidth = printing.matches ? "" : `${least}px`;
  if (isNarrow() && panels > 1) stack(figure.layout, panels);
  // What a browser takes for the width of paper differs from what it prints on.
  if (printing.matches) figure.layout.width = PAPER;
  // Nothing leaves the page: plotly's own "Share chart" would upload it.
  const removed = ["sendChartToCloud", "select2d", "lasso2d"];
  const config = { displaylogo: false, responsive: true, modeBarButtonsToRemove: removed };
  return Plotly.react(place, figure.data, figure.layout, config);
}

async function drawAll() {
  for (const data of document.querySelectorAll("[data-figure]")) await draw(data);
  root.dataset.drawn = isDark() ? "dark" : "light";
}

async function showFigures() {
  const places = document.querySelectorAll(".figure");
  if (!places.length) return;
  try {
    await loadPlotly();
  } catch (error) {
    for (const place of places) place.textContent = `Not drawn: this browser cannot unpack the figures (${error}).`;
    return;
  }
  let narrow = isNarrow();
  await drawAll();
  for (const media of [systemDark, printing]) media.addEventListener("change", drawAll);
  addEventListener("resize", () => {
    if (narrow === (narrow = isNarrow())) return;
    drawAll();
  });
}

// Light and dark --------------------------------------------------------------------------------

function showTheme() {
  const button = document.getElementById("theme");
  const label = () => (button.textContent = isDark() ? "Light" : "Dark");
  button.hidden = false;
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    label();
    if (window.Plotly) drawAll();
  });
  systemDark.addEventListener("change", label);
  label();
}

// Tables ----------------------------------------------------------------------------------------

function compare(a, b) {
  return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
}

function sortBy(body, column, sign) {
  const rows = [...body.rows].map((row) => ({ row, key: JSON.parse(row.dataset.keys)[column] }));
  // Rows without a value come last, whichever way.
  rows.sort((a, b) => (a.key === null) - (b.key === null) || (a.key === null ? 0 : sign * compare(a.key, b.key)));
  body.append(...rows.map(({ row }) => row));
}

function makeSortable(table) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    button.title = `sort by ${head.textContent}`;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") !== "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      sortBy(table.tBodies[0], column, up ? 1 : -1);
      table.classList.add("sorted");
    });
  });
}

// A word such as "epochs>=20" compares a column, any other has to be part of the row's text.
function condition(word, names, unknown) {
  const found = /^(.+?)(<=|>=|<|>|=)(.+)$/.exec(word);
  const column = found ? names.indexOf(found[1].toLowerCase()) : -1;
  if (found && column < 0) unknown.push(found[1]);
  if (column < 0) return (row) => row.textContent.toLowerCase().includes(word.toLowerCase());
  const value = isNaN(found[3]) ? found[3].toLowerCase() : Number(found[3]);
  const holds = { "<=": (c) => c <= 0, ">=": (c) => c >= 0, "<": (c) => c < 0, ">": (c) => c > 0, "=": (c) => c === 0 };
  return (row) => {
    const key = JSON.parse(row.dataset.keys)[column];
    return key !== null && holds[found[2]](compare(typeof key === "number" ? key : key.toLowerCase(), value));
  };
}

function makeFilterable(table) {
  const rows = [...table.tBodies[0].rows];
  const names = [...table.tHead.rows[0].cells].map((cell) => cell.textContent.replace(/\s*\(.*\)$/, "").toLowerCase());
  const bar = document.createElement("p");
  bar.className = "filter";
  bar.innerHTML = '<label>Filter <input type="search" size="30" autocomplete="off"></label> <output></output>';
  bar.querySelector("input").placeholder = "e.g. COMPLETE epochs>=20";
  const show = () => {
    const words = bar.querySelector("input").value.match(/"[^"]+"|[^\s"]+/g) ?? [];
    const unknown = [];
    const conditions = words.map((word) => condition(word.replaceAll('"', ""), names, unknown));
    for (const row of rows) row.hidden = !conditions.every((holds) => holds(row));
    const shown = rows.filter((row) => !row.hidden).length;
    bar.querySelector("output").textContent =
      `${shown} of ${rows.length} rows` + (unknown.length ? `; no column ${unknown.join(", ")}` : "");
  };
  bar.addEventListener("input", show);
  table.closest(".scroll").before(bar);
  show();
}

for (const table of document.querySelectorAll("table.sortable")) {
  makeFilterable(table);
  makeSortable(table);
}
showTheme();
showFigures();
