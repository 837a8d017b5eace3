"use strict";
// Tables of the overview: sorting, searching.

function sortTable(header) {
  const table = header.closest("table"), body = table.tBodies[0];
  const column = [...header.parentNode.children].indexOf(header);
  const down = header.getAttribute("aria-sort") !== "descending" && header.classList.contains("n") ||
    header.getAttribute("aria-sort") === "ascending";
  for (const other of header.parentNode.children) other.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", down ? "descending" : "ascending");
  const isNumber = header.classList.contains("n");
  const valueOf = (row) => {
    const text = row.cells[column].textContent.trim();
    return isNumber ? (text === "" ? -1 : parseFloat(text)) : text;
  };
  const compare = (a, b) => isNumber ? valueOf(a) - valueOf(b) : valueOf(a).localeCompare(valueOf(b));
  const rows = [...body.rows].sort((a, b) => (down ? -1 : 1) * compare(a, b));
  body.append(...rows);
}

function prepareTables() {
  for (const header of document.querySelectorAll("table.sortable tr:not(.groups) th")) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = header.textContent;
    button.addEventListener("click", () => sortTable(header));
    header.replaceChildren(button);
  }
  const search = document.getElementById("search");
  if (search) search.addEventListener("input", () => searchRows(search.value.toLowerCase()));
}

function searchRows(wanted) {
  let found = 0;
  for (const row of document.querySelectorAll("table[data-search] tbody tr")) {
    row.hidden = !row.textContent.toLowerCase().includes(wanted);
    found += !row.hidden;
  }
  document.getElementById("found").textContent = wanted ? count(found, "row") : "";
}

function count(number, noun) {
  return number === 1 ? `1 ${noun}` : `${number} ${noun}s`;
}

// A page: the frame, its marks, and edits of the wrapper.

let page = null, wrapper = null, selected = null, changes = [], shown = 0, marked = 0;

async function inflate(text) {
  const bytes = Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

async function preparePage() {
  const frame = document.getElementById("frame");
  if (!frame) return;
  page = await inflate(document.getElementById("data").textContent);
  wrapper = structuredClone(page.wrapper);
  frame.addEventListener("load", () => prepareFrame(frame.contentDocument));
  frame.srcdoc = page.html;
  const method = document.getElementById("method");
  if (method)
    for (const one of [method, document.getElementById("beside")])
      one.addEventListener("change", () => showMethod(method.value));
  for (const button of document.querySelectorAll("[data-do]"))
    button.addEventListener("click", () => act(button.dataset.do));
  for (const button of document.querySelectorAll("[data-show]"))
    button.addEventListener("click", () => {
      const element = frame.contentDocument.querySelector(`[data-field="${button.dataset.show}"]`);
      if (element !== selected) select(element);
      element.scrollIntoView({ block: "center" });
    });
}

function prepareFrame(content) {
  takeEdit();
  content.addEventListener("mouseover", (event) => describe(event.target.closest("[data-x]")));
  content.addEventListener("click", (event) => {
    event.preventDefault();
    select(event.target.closest("[data-x]"));
  });
  content.addEventListener("keydown", walk);
  showKept(content);
  document.getElementById("edit").disabled = false;
  document.documentElement.dataset.ready = "yes";
}

// Scrolls the frame only, not the page around it.
function showKept(content) {
  const first = content.querySelector("[data-forest=kept]");
  if (first) content.defaultView.scrollTo(0, first.getBoundingClientRect().top - 20);
}

// Show what another method keeps and drops; only the wrapper of the template can be edited.
function showMethod(number) {
  shown = Number(number);
  const beside = document.getElementById("beside").checked && shown > 0;
  const content = document.getElementById("frame").contentDocument;
  document.getElementById("edit").hidden = shown > 0;
  document.getElementById("article").hidden = beside;
  document.getElementById("other").hidden = !beside;
  document.querySelector(".split").classList.toggle("beside", beside);
  for (const delta of document.querySelectorAll(".delta")) delta.hidden = Number(delta.dataset.method) !== shown;
  marked = beside ? 0 : shown;
  markMethod(content, marked);
  markDifferences(content, shown);
  if (beside) showBeside(shown);
}

function showBeside(number) {
  const frame = document.querySelector("#other iframe");
  const select = document.getElementById("method");
  document.getElementById("other-name").textContent = select.options[select.selectedIndex].text;
  frame.onload = () => {
    markMethod(frame.contentDocument, number);
    markDifferences(frame.contentDocument, number);
    showKept(frame.contentDocument);
    frame.dataset.ready = number;
  };
  frame.srcdoc = page.html;
}

function markMethod(content, number) {
  for (const one of content.querySelectorAll("[data-forest]")) {
    one.removeAttribute("data-forest");
    one.removeAttribute("data-rule");
  }
  for (const one of content.querySelectorAll(`[data-m${number}]`)) {
    const [kind, ...rule] = one.getAttribute(`data-m${number}`).split(" ");
    one.dataset.forest = kind;
    one.dataset.rule = rule.join(" ");
  }
}

// The elements with text that only one of the two methods keeps.
function markDifferences(content, number) {
  for (const one of content.querySelectorAll("[data-differs]")) one.removeAttribute("data-differs");
  if (!number) return;
  const isKept = (element, method) => {
    const part = element.closest(`[data-m${method}]`);
    return part !== null && part.getAttribute(`data-m${method}`).startsWith("kept");
  };
  for (const one of content.querySelectorAll("[data-p]"))
    if (isKept(one, 0) !== isKept(one, number)) one.setAttribute("data-differs", "");
}

function describe(element) {
  const hint = document.getElementById("hint");
  if (!element || (selected && element !== selected)) return;
  const [xpath, , pages] = page.paths[element.dataset.x];
  const part = element.closest("[data-forest]"), scored = element.closest("[data-p]");
  const lines = [`${element.localName} on ${count(pages, "page")}: ${xpath}`];
  lines.push(part ? `${part.dataset.forest} by ${part.dataset.rule}${evidence(part.dataset.rule)}` : "not kept");
  if (scored) lines.push(`the classifier alone: ${scored.dataset.p} content`);
  if (element.dataset.field) lines.push(`the ${element.dataset.field} is read here`);
  hint.textContent = lines.join("\n");
}

function evidence(rule) {
  const [role, number] = rule.split(" ");
  const used = page.used[marked], xpath = (used[role] || [])[number - 1] || "";
  const parts = [xpath, ...xpath.split(" | ")].filter((one) => one in used.evidence);
  const told = [...new Set(parts)].map((one) =>
    `confidence ${used.evidence[one].confidence.toFixed(2)}, learned on ${count(used.evidence[one].pages, "page")}`);
  return told.length ? ` (${told.join("; ")})` : "";
}

// A rule finds all elements with the same path, so all of them are shown as selected.
function select(element) {
  const content = document.getElementById("frame").contentDocument;
  for (const one of content.querySelectorAll("[data-selected]")) one.removeAttribute("data-selected");
  selected = element === selected ? null : element;
  if (!selected) return;
  const alike = content.querySelectorAll(`[data-x="${selected.dataset.x}"]`);
  for (const one of alike) one.setAttribute("data-selected", "");
  describe(selected);
  if (alike.length > 1)
    document.getElementById("hint").textContent += `\n${alike.length} elements of this page have this path`;
}

function act(name) {
  if (name === "copy") return copyText();
  if (name === "save") return saveText();
  if (name === "store") return storeText();
  if (name === "undo") return undoLast();
  if (name === "reset") {
    wrapper = structuredClone(page.wrapper);
    changes = [];
  } else if (!selected) {
    document.getElementById("hint").textContent = "Click an element of the page first.";
    return;
  } else if (name === "wider") {
    const around = selected.parentElement && selected.parentElement.closest("[data-x]");
    return around && select(around);
  } else {
    const edit = { keep: keepElement, drop: dropElement }[name] || useAsField;
    edit(selected, name);
    changes.push(`${name}: ${page.paths[selected.dataset.x][0]}`);
  }
  showWrapper();
}

function keepElement(element) {
  const [xpath] = page.paths[element.dataset.x];
  const dropped = element.closest("[data-forest=dropped]");
  if (dropped && dropped.dataset.rule.startsWith("drop ")) {
    const rule = page.used[0].drop[dropped.dataset.rule.split(" ")[1] - 1];
    wrapper.drop = wrapper.drop.filter((one) => one !== rule);
  }
  if (!element.closest("[data-forest=kept]")) {
    const kept = element.ownerDocument.querySelector("[data-forest=kept]");
    const used = kept ? page.used[0].keep[kept.dataset.rule.split(" ")[1] - 1] : "";
    const at = Math.max(wrapper.keep.indexOf(used), 0);
    wrapper.keep[at] = wrapper.keep.length ? `${wrapper.keep[at]} | ${xpath}` : xpath;
    wrapper.take = "all";
  }
  if (wrapper.known.length) {
    const inside = [element, ...element.querySelectorAll("[data-x]")];
    const paths = inside.map((one) => page.paths[one.dataset.x][1]);
    wrapper.known = [...new Set([...wrapper.known, ...paths])].sort();
  }
}

function dropElement(element) {
  const [xpath] = page.paths[element.dataset.x];
  if (!wrapper.drop.includes(xpath)) wrapper.drop.push(xpath);
}

function useAsField(element, name) {
  const [xpath] = page.paths[element.dataset.x];
  const others = (wrapper.fields[name] || []).filter((one) => one !== xpath);
  wrapper.fields[name] = [xpath, ...others];
}

function editedText() {
  const value = { host: page.host, template: page.template, wrapper };
  return JSON.stringify(value, null, 2) + "\n";
}

function showWrapper() {
  document.getElementById("edited").hidden = !changes.length;
  document.getElementById("json").value = editedText();
  document.getElementById("changes").textContent = changes.join("; ");
  if (!document.getElementById("preview")) return;
  keepEdit();
  preview();
}

// Only served pages have what follows; the policy of the others forbids the requests.

async function post(name, value) {
  const headers = { "Content-Type": "application/json" };
  try {
    const answer = await fetch(name, { method: "POST", headers, body: JSON.stringify(value) });
    return { ok: answer.ok, text: await answer.text() };
  } catch {
    return { ok: false, text: "No answer: is scrapy forest edit still running?" };
  }
}

function editedPost() {
  const { host, template, url } = page;
  return { host, template, wrapper, base: page.wrapper, page: url };
}

// An edit that is not stored yet goes on on the other pages of the template, until the tab is closed.

function editName() {
  return `edit ${page.host} ${page.template}`;
}

function keepEdit() {
  const value = JSON.stringify({ base: page.wrapper, wrapper, changes });
  if (changes.length) sessionStorage.setItem(editName(), value);
  else sessionStorage.removeItem(editName());
}

function takeEdit() {
  const value = document.getElementById("preview") && JSON.parse(sessionStorage.getItem(editName()));
  if (!value || JSON.stringify(value.base) !== JSON.stringify(page.wrapper)) return;
  ({ wrapper, changes } = value);
  showWrapper();
}

// Show what the edited wrapper would give.  One request at a time: an edit that is made meanwhile is
// sent after it.
let isAsking = false, isAskedAgain = false;

async function preview() {
  isAskedAgain = isAsking;
  if (isAsking) return;
  isAsking = true;
  document.getElementById("edited").setAttribute("aria-busy", "true");
  const { ok, text } = await post("preview", editedPost());
  isAsking = false;
  if (isAskedAgain) return preview();
  document.getElementById("edited").removeAttribute("aria-busy");
  showPreview(ok ? JSON.parse(text) : { summary: text, pages: [] });
}

function showPreview(found) {
  document.getElementById("preview").textContent = found.summary;
  document.querySelector("[data-do=store]").disabled = !found.html && !found.pages.length;
  const table = document.getElementById("preview-pages");
  table.hidden = !found.pages.length;
  table.tBodies[0].replaceChildren(...found.pages.map(pageRow));
  if (!found.html) return;
  document.getElementById("previewed").hidden = !changes.length;
  document.getElementById("text").replaceChildren(...found.lines.map(([sign, line]) =>
    make("p", {}, sign === " " ? line : make(sign === "-" ? "del" : "ins", {}, line))));
  showFields(found.fields);
  showFirstChange();
  page.used[0] = found.used;
  copyMarks(found.html);
}

// Scrolls the article only, as far as it has a scroll bar of its own.
function showFirstChange() {
  const article = document.getElementById("article"), first = article.querySelector("#text del, #text ins");
  if (first) article.scrollTop += first.getBoundingClientRect().top - article.getBoundingClientRect().top - 100;
}

function pageRow(one) {
  const name = one.url === page.url ? "this page" : one.url;
  const link = one.file ? make("a", { href: one.file }, name) : name;
  const told = one.fields.map(([field, old, value]) => make("p", {}, `${field}: `, ...difference(old, value)));
  if (one.method) told.push(make("p", { class: "low" }, `The wrapper finds nothing here; the text is found by ${one.method}.`));
  if (!one.characters[1]) told.push(make("p", { class: "low" }, "No text is found here."));
  const runs = [...one.deleted.map((run) => make("p", {}, make("del", {}, run))),
    ...one.inserted.map((run) => make("p", {}, make("ins", {}, run)))];
  if (runs.length) {
    const summary = `${one.deleted.length} deleted, ${one.inserted.length} inserted`;
    told.push(make("details", {}, make("summary", {}, summary), ...runs));
  }
  const [before, after] = one.characters;
  return make("tr", one.changes ? {} : { class: "same" }, make("td", { class: "url" }, link),
    make("td", { class: "n" }, one.f1.toFixed(3)),
    make("td", { class: "n" }, before === after ? `${after}` : `${before} → ${after}`),
    make("td", {}, ...(one.changes ? told : ["stays the same", ...told])));
}

function make(tag, attributes, ...children) {
  const one = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) one.setAttribute(name, value);
  one.append(...children);
  return one;
}

function difference(old, value) {
  const parts = [];
  if (old) parts.push(make("del", {}, old), " ");
  parts.push(value ? make("ins", {}, value) : make("b", {}, "missing"));
  return parts;
}

function showFields(fields) {
  const body = document.getElementById("fields");
  for (const [name, old, value] of fields) {
    let row = body.querySelector(`[data-name="${name}"]`);
    if (!row && old === value) continue;
    if (!row) {
      row = make("tr", { "data-name": name }, make("th", { scope: "row" }, name), make("td", {}, make("span", {})));
      body.append(row);
    }
    row.querySelector("span").replaceChildren(...(old === value ? [value] : difference(old, value)));
    const source = row.querySelector(".source");
    if (source) source.hidden = old !== value;
  }
}

// The same page is written with other marks, so its elements are those of the frame, in order.
function copyMarks(html) {
  const content = document.getElementById("frame").contentDocument;
  const marks = new DOMParser().parseFromString(html, "text/html").querySelectorAll("body, body *");
  content.querySelectorAll("body, body *").forEach((one, i) => {
    for (const name of ["m0", "field"]) {
      if (marks[i] && name in marks[i].dataset) one.dataset[name] = marks[i].dataset[name];
      else delete one.dataset[name];
    }
  });
  markMethod(content, marked);
  markDifferences(content, shown);
}

function copyText() {
  const json = document.getElementById("json");
  json.select();
  if (navigator.clipboard) navigator.clipboard.writeText(json.value).catch(() => document.execCommand("copy"));
  else document.execCommand("copy");
}

function saveText() {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([editedText()], { type: "application/json" }));
  link.download = `wrapper-${page.host}-${page.template}.json`.replace(/[^\w.-]/g, "_");
  link.click();
}

async function storeText() {
  if (!await postOnce("save", editedPost())) return;
  page.wrapper = structuredClone(wrapper);
  changes = [];
  showWrapper();
}

// Afterwards the page is shown as it is with the wrapper that is stored then, and says what was done.
async function undoLast() {
  const { host, template, wrapper } = page;
  if (!await postOnce("undo", { host, template, wrapper })) return;
  sessionStorage.setItem(TOLD, document.getElementById("stored").textContent);
  location.assign(document.querySelector("#stored-link a").href);
}

const TOLD = "forest-told";

function tellWhatWasDone() {
  const text = sessionStorage.getItem(TOLD);
  const stored = document.getElementById("stored");
  if (!text || !stored) return;
  sessionStorage.removeItem(TOLD);
  stored.textContent = text;
  stored.hidden = false;
}

// Whether it was done; a second click is ignored meanwhile.
let isStoring = false;

async function postOnce(name, value) {
  if (isStoring) return false;
  isStoring = true;
  const state = document.getElementById(`${name}-state`);
  state.textContent = "Storing\u2026";
  const { ok, text } = await post(name, value);
  isStoring = false;
  state.textContent = ok ? "Stored" : "Not stored";
  const stored = document.getElementById("stored");
  stored.textContent = text;
  stored.hidden = false;
  document.getElementById("stored-link").hidden = !ok;
  if (ok) document.querySelector("[data-do=undo]").hidden = false;
  return ok;
}

function walk(event) {
  const key = { ArrowLeft: "prev", ArrowRight: "next" }[event.key];
  if (!key || event.altKey || event.ctrlKey || event.metaKey) return;
  if (["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName)) return;
  const link = document.querySelector(`a[rel=${key}]`);
  if (link) link.click();
}

document.addEventListener("keydown", walk);
prepareTables();
preparePage();
tellWhatWasDone();
