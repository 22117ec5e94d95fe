// What the page does beyond its forms: shortcuts, dropping files, and the drawing. Everything works without it.
"use strict";

const form = document.querySelector('meta[name="graphmem-form"]').content;

// --- keyboard -------------------------------------------------------------------------------------

const help = document.getElementById("help");
document.getElementById("keys").addEventListener("click", () => help.showModal());

let picked = -1;
let going = false;

function list() {
  const conflicts = [...document.querySelectorAll("[data-conflict]")];
  return conflicts.length ? conflicts : [...document.querySelectorAll("[data-list] > li:not(.none)")];
}

function pick(step) {
  const items = list();
  if (!items.length) return;
  if (items[picked]) items[picked].classList.remove("picked");
  picked = Math.min(items.length - 1, Math.max(0, picked + step));
  items[picked].classList.add("picked");
  items[picked].scrollIntoView({ block: "nearest" });
  const link = items[picked].querySelector(".open");
  (link || items[picked]).focus({ preventScroll: true });
}

function decide(key) {
  const conflict = document.querySelector("[data-conflict].picked") || document.querySelector("[data-conflict]");
  if (!conflict) return false;
  const button = conflict.querySelector(`[data-key="${key}"]`);
  const sure = conflict.querySelector('[name="sure"]');
  if (button.classList.contains("danger") && !sure.checked) {
    sure.focus();
    return true;
  }
  button.click();
  return true;
}

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input:not([type=checkbox]), textarea, select, dialog");
  if (typing || event.ctrlKey || event.metaKey || event.altKey) {
    if (event.key === "Escape" && typing && typing.tagName !== "DIALOG") typing.blur();
    return;
  }
  const places = { m: "/", r: "/review", e: "/entities", v: "/reminders", s: "/status", c: "/chats" };
  if (going) {
    going = false;
    if (places[event.key]) location.assign(places[event.key]);
    return;
  }
  const field = { "/": "q", n: "text" }[event.key];
  if (field && document.getElementById(field)) document.getElementById(field).focus();
  else if (event.key === "j") pick(1);
  else if (event.key === "k") pick(-1);
  else if (event.key === "g") going = true;
  else if (event.key === "?") help.showModal();
  else if (!("1234".includes(event.key) && decide(event.key))) return;
  event.preventDefault();
});

// --- chat logs ------------------------------------------------------------------------------------

const drop = document.getElementById("drop");

async function send(files) {
  const body = new FormData();
  for (const file of files) {
    body.append("file", file, file.name);
    body.append("modified", file.lastModified); // logs without dates were written then
  }
  body.append("me", document.getElementById("me").value);
  const answer = await fetch("/chats", { method: "POST", body, headers: { "x-graphmem-form": form } });
  if (answer.ok) location.assign("/chats");
  else drop.querySelector(".hint").textContent = await answer.text();
}

if (drop) {
  for (const kind of ["dragenter", "dragover"]) {
    drop.addEventListener(kind, (event) => { event.preventDefault(); drop.classList.add("over"); });
  }
  for (const kind of ["dragleave", "drop"]) {
    drop.addEventListener(kind, () => drop.classList.remove("over"));
  }
  drop.addEventListener("drop", (event) => { event.preventDefault(); send(event.dataTransfer.files); });
  drop.addEventListener("submit", (event) => {
    event.preventDefault();
    send(document.getElementById("file").files);
  });
}

async function follow(row) {
  for (;;) {
    const answer = await fetch(`/chats/${row.dataset.job}.json`);
    if (!answer.ok) return;
    const job = await answer.json();
    row.querySelector("progress").value = job.percent;
    if (job.state === "done" || job.state === "failed") { location.reload(); return; }
    await new Promise((resolve) => setTimeout(resolve, 400));
  }
}

for (const row of document.querySelectorAll('[data-state="waiting"], [data-state="running"]')) follow(row);

// --- the drawing ----------------------------------------------------------------------------------

const graph = document.getElementById("graph");

async function draw() {
  const elements = await (await fetch(graph.dataset.graph)).json();
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const drawing = cytoscape({
    container: graph,
    elements,
    layout: { name: "concentric", concentric: (node) => (node.data("centre") ? 2 : 1), minNodeSpacing: 40, animate: false },
    style: [
      { selector: "node", style: { label: "data(label)", color: colour("--ink"), "background-color": colour("--main"), "font-size": 11, "text-valign": "bottom", "text-margin-y": 4, width: 18, height: 18 } },
      { selector: "node[?centre]", style: { width: 30, height: 30, "font-weight": "bold", "font-size": 13 } },
      { selector: 'node[kind = "person"]', style: { "background-color": colour("--past") } },
      { selector: "edge", style: { label: "data(label)", color: colour("--soft"), "font-size": 9, "text-rotation": "autorotate", width: 1.5, "line-color": colour("--line"), "target-arrow-color": colour("--line"), "target-arrow-shape": "triangle", "curve-style": "bezier" } },
      { selector: 'edge[state = "unsure"]', style: { "line-color": colour("--unsure"), "target-arrow-color": colour("--unsure") } },
      { selector: 'edge[state != "current"][state != "unsure"]', style: { "line-style": "dashed" } },
    ],
  });
  drawing.on("tap", "node", (event) => location.assign(`/entity/${encodeURIComponent(event.target.id())}`));
  graph.dataset.drawn = drawing.nodes().length;
}

if (graph) window.addEventListener("load", draw);
