"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  // The report of one expression is shown as that of a schema which has no other.
  const single = data.expressions === undefined, report = single ? {expressions: [data]} : data, whole = single ? "the expression" : "the schema";
  const flame = document.getElementById("flame"), details = document.getElementById("details");
  const rowHeight = 23, unbounded = "18446744073709551615";

  // number writes a number that may be too large for JavaScript.
  const number = n => {
    const text = String(n ?? 0);
    if (text === unbounded) return "unbounded";
    return /^-?\d+$/.test(text) ? text.replace(/\B(?=(\d{3})+$)/g, ",") : text;
  };
  const percent = f => f >= 0.9995 ? "100 %" : f >= 0.1 ? (100 * f).toFixed(1) + " %" : f >= 0.0001 ? (100 * f).toFixed(2) + " %" : f > 0 ? "< 0.01 %" : "0 %";
  const times = f => f >= 100 ? number(String(Math.round(f))) : Number(f).toPrecision(4);
  // make makes an element; text is never taken for markup.
  const make = (name, attributes, ...children) => {
    const e = document.createElement(name);
    for (const [k, v] of Object.entries(attributes ?? {})) {
      if (k === "click") e.addEventListener("click", v); else e.setAttribute(k, v);
    }
    e.append(...children.filter(c => c !== null && c !== undefined && c !== ""));
    return e;
  };

  // The tree of boxes: places of the schema, expressions, nodes. A box has a value
  // and the boxes below it, and says in which part of its own width they stand.
  const label = n => {
    const name = (n.name ?? "").replace(/^[_@]+|[_]+$/g, "").replace(/_/g, " ");
    if (n.kind === "comprehension") return "loop ×" + number(n.operands?.[0]?.size.max ?? 0);
    return n.text || name || n.kind;
  };
  const kind = n => ({comprehension: "loop", binding: "loop", call: "call", identifier: "read", selection: "read", "presence test": "read"})[n.kind] ?? "make";
  const nodeBox = (n, value, x) => {
    const total = Number(n.total.max), box = {title: label(n), style: kind(n), value, x, n, below: []};
    for (const p of n.parts ?? []) {
      const counted = Number(p.total.max) * Number(p.times.max);
      if (counted > 0 && total > 0) box.below.push(nodeBox(p, value * Math.min(1, counted / total), x));
    }
    return box;
  };
  const expressionBox = x => {
    const value = Number(x.total), box = {title: (x.kind === "messageExpression" ? "message: " : "") + x.source, style: x.server.within ? "ok" : "over", value, x, below: []};
    if (x.root && value > 0) box.below.push(nodeBox(x.root, value, x));
    return box;
  };
  const root = single ? expressionBox(data) : {title: report.name || "schema", style: "place", value: 0, below: [], place: ""};
  for (const x of single ? [] : report.expressions) {
    let at = root;
    for (const step of (x.place ?? "").split(".").filter(Boolean)) {
      let next = at.below.find(b => b.step === step);
      if (!next) at.below.push(next = {title: step, step, style: "place", value: 0, below: [], place: (at.place ? at.place + "." : "") + step});
      at = next;
    }
    at.below.push(expressionBox(x));
  }
  const measure = b => {
    if (b.place !== undefined) b.value = b.below.map(measure).reduce((a, v) => a + v, 0);
    b.below.sort((a, c) => c.value - a.value);
    for (const c of b.below) c.above = b;
    if (b.x) b.below.forEach(measure);
    return b.value;
  };
  measure(root);
  // A place with nothing but one other place is part of that.
  const merge = b => {
    while (b.step !== undefined && b.below.length === 1 && b.below[0].step !== undefined) {
      const only = b.below[0];
      b.title += "." + only.step; b.place = only.place; b.below = only.below;
      for (const c of b.below) c.above = b;
    }
    b.below.forEach(merge);
  };
  merge(root);

  let zoomed = root, chosen = root;
  const line = b => b ? [...line(b.above), b] : [];
  const draw = () => {
    flame.replaceChildren();
    const width = flame.clientWidth;
    let rows = 0;
    const put = (b, left, w, row, above) => {
      if (w < 1) return;
      rows = Math.max(rows, row + 1);
      const share = root.value > 0 ? b.value / root.value : 0;
      flame.append(Object.assign(make("button", {
        class: [b.style, b === chosen ? "chosen" : "", above ? "above" : "", w < 24 ? "narrow" : ""].join(" "), role: "treeitem", title: b.title + "\n" + percent(share) + " of " + whole,
        style: `left:${left}px;width:${w}px;top:${row * rowHeight}px`, click: () => choose(b, true),
      }, b.title)));
      if (above) return;
      const sum = b.below.reduce((a, c) => a + c.value, 0), scale = sum > 0 ? w / Math.max(sum, b.value) : 0;
      for (const c of b.below) { put(c, left, c.value * scale, row + 1, false); left += c.value * scale; }
    };
    const way = line(zoomed.above);
    way.forEach((b, i) => put(b, 0, width, i, true));
    put(zoomed, 0, width, way.length, false);
    flame.style.height = rows * rowHeight + 4 + "px";
    const crumbs = document.getElementById("crumbs");
    crumbs.replaceChildren();
    line(zoomed).forEach((b, i) => crumbs.append(i ? " › " : "", make("button", {click: () => choose(b, true)}, b.title.length > 48 ? b.title.slice(0, 47) + "…" : b.title)));
  };
  const choose = (b, zoom) => {
    chosen = b;
    if (zoom) zoomed = b;
    draw(); table(); show();
  };

  const table = () => {
    if (single) return;
    const t = document.getElementById("rules");
    t.replaceChildren(make("colgroup", {}, make("col", {class: "share"}), make("col", {class: "total"}), make("col")),
      make("tr", {}, make("th", {}, "Share"), make("th", {class: "n"}, "Estimated total"), make("th", {}, "Expression")));
    for (const x of report.expressions) {
      const over = x.error || !x.server.within;
      t.append(make("tr", {class: (chosen.x === x ? "chosen " : "") + (over ? "rejected" : ""), click: () => choose(find(root, x), true)},
        make("td", {}, make("span", {class: "bar", title: percent(x.share)}, make("i", {class: over ? "over" : "ok", style: `width:${Math.max(1, 100 * Math.min(1, x.share))}%`}))),
        make("td", {class: "n " + (over ? "bad" : "")}, x.error ? "does not compile" : number(x.total)),
        make("td", {title: x.path}, make("code", {}, x.source), " ", make("span", {class: "soft"}, x.place || "root"))));
    }
  };
  const find = (b, x) => b.x === x ? b : b.below.map(c => find(c, x)).find(Boolean);

  // What stands beside the graph.
  const boundText = b => {
    const data = b.data || "the root";
    let text = {declared: `${b.keyword} ${number(b.value)} of ${data}`, fixed: `${b.keyword} of ${data}`, implicit: `${data}, which every resource has`}[b.kind];
    if (b.kind === "missing") text = `${data} has no ${b.keyword}` + (b.minElement ? `: as many of ${b.minElement} bytes as a request holds` : ": as long as a request");
    if (b.kind === "declared" && b.perUnit > 1) text += `, each counts ${b.perUnit}`;
    return (text ?? `${data} has no size that estimates know`) + (b.note ? ` (${b.note})` : "");
  };
  const sourceText = s => s.bound ? boundText(s.bound) : ({literal: "a literal", computed: "computed from what it is made of", scalar: "by its type"})[s.source] ?? "nothing is known of it";
  const rows = (...all) => make("table", {}, ...all.filter(Boolean).map(([k, v, note]) =>
    make("tr", {}, make("th", {}, k), make("td", {class: "n"}, v), make("td", {class: "soft"}, note ?? ""))));
  const changes = list => make("table", {}, make("tr", {}, make("th", {}, "Bound"), make("th", {class: "n"}, "Now"), make("th", {class: "n"}, "Set to")),
    ...list.map(c => make("tr", {}, make("td", {}, make("code", {class: "path", title: c.schema}, c.data || "root"), make("b", {}, c.keyword)),
      make("td", {class: "n soft"}, c.value === undefined ? "missing" : number(c.value)), make("td", {class: "n"}, make("b", {}, (c.largest || !c.fits ? "" : "≥ ") + number(c.to))))));
  const adviceOf = x => {
    const a = x.advice;
    if (!a) return null;
    const card = make("div", {class: "advice"});
    if (a.note) card.append(make("p", {class: "bad"}, a.note));
    if (a.together?.length) card.append(make("h3", {}, "Set these bounds together"), changes(a.together),
      make("p", {class: "soft"}, `The estimate is ${number(a.togetherTotal)} then${a.proven ? ", estimated anew with the bounds in the schema" : ""}. ${a.together.every(c => c.largest) ? "One more of any is over the limit." : ""}`));
    const alone = (a.alone ?? []).filter(c => c.fits && !(a.together?.length === 1 && a.together[0].schema === c.schema));
    if (alone.length) card.append(make("h3", {}, "Or one of these alone"), changes(alone));
    if (a.growth?.length) card.append(make("h3", {}, "How far each bound may grow alone"), changes(a.growth), make("p", {class: "soft"}, "As far as this expression goes."));
    return card.childNodes.length ? card : null;
  };
  const sourceOf = (x, at) => {
    const text = Array.from(x.source);
    if (!at || at.start >= at.end || (at.start === 0 && at.end === text.length)) return make("pre", {}, x.source);
    return make("pre", {}, text.slice(0, at.start).join(""), make("mark", {}, text.slice(at.start, at.end).join("")), text.slice(at.end).join(""));
  };
  const soundOf = x => {
    const s = x.sound;
    if (!s || s.bounded && Number(s.max) <= Number(x.estimate.max)) return "";
    return make("div", {}, make("h3", {}, "What it can really cost"),
      make("p", {}, s.bounded ? `At most ${number(s.max)} for one evaluation, more than estimated.` : "There is no telling: the estimate is no bound."),
      ...(s.doubts ?? []).map(d => make("p", {class: "soft"}, make("code", {}, d.text), ": " + d.reason)));
  };
  const chain = x => (x.evaluations.chain ?? []).map(b => [b.data, b.value === undefined ? "missing" : number(b.value), b.keyword]);
  const showExpression = x => {
    const e = x.evaluations;
    details.append(make("h2", {}, x.kind === "rule" ? "Rule" : x.kind === "messageExpression" ? "Message expression" : "Expression"),
      x.path ? make("p", {class: "soft"}, make("code", {}, x.path)) : "", sourceOf(x));
    if (x.error) { details.append(make("pre", {class: "bad"}, x.error)); return; }
    details.append(make("p", {class: "big " + (x.server.within ? "good" : "bad")}, number(x.total)),
      make("p", {}, x.server.within ? `within the limit of ${number(x.server.limit)}, ${number(x.server.limit - x.total)} left` : `over the limit of ${number(x.server.limit)}, ${times(x.total / x.server.limit)} times`));
    if (x.caller.limit !== x.server.limit) details.append(make("p", {class: x.caller.within ? "good" : "bad"}, `your limit: ${number(x.caller.limit)}, ${x.caller.within ? "kept" : "exceeded " + times(x.total / x.caller.limit) + " times"}`));
    if (x.server.message) details.append(make("p", {class: "said soft"}, x.server.message));
    details.append(adviceOf(x) ?? "", make("h3", {}, "Where it comes from"), rows(
      ["one evaluation", number(x.estimate.max), `at least ${number(x.estimate.min)}`],
      !single && ["× evaluations", number(e.count), e.bounded ? "the product of these bounds" : `as many values of ${e.minSize} bytes as a request of 3,145,728 bytes holds`],
      ...chain(x), x.actual && ["it did cost", number(x.actual.cost), x.actual.evaluations ? `in ${x.actual.evaluations} evaluations` : ""]), soundOf(x));
    if (x.actual?.result) details.append(make("h3", {}, "Its value"), make("pre", {}, x.actual.result));
    if (x.actual?.error) details.append(make("h3", {}, "Its error"), make("pre", {class: "bad"}, x.actual.error));
    if (single) showColours();
  };
  const showNode = (x, n) => {
    details.append(make("h2", {}, n.kind + (n.name ? " " + n.name : "")), make("p", {class: "soft"}, make("code", {}, x.path), ` ${n.at.line}:${n.at.column}`), sourceOf(x, n.at),
      rows(["total", number(n.total.max), `at least ${number(n.total.min)}`], ["by itself", number(n.own.max), (n.overloads ?? []).join(", ")],
        ["counted", "× " + number(n.count), n.why ?? ""], ["share", percent(n.share), "of one evaluation"],
        n.actual && ["it did cost", number(n.actual.units), n.actual.iterations ? `${n.actual.iterations} iterations` : ""]));
    if (n.operands?.length) details.append(make("h3", {}, "Sizes it is priced by"), make("table", {}, ...n.operands.map(s => make("tr", {},
      make("th", {class: "what"}, s.operand < 0 ? "iterations" : (s.element ? "elements of " : "") + "operand " + s.operand), make("td", {class: "n"}, number(s.size.max)),
      make("td", {}, sourceText(s), s.bound?.schema ? make("div", {class: "soft"}, make("code", {}, s.bound.schema)) : "")))));
    const advice = adviceOf(x);
    if (advice) details.append(advice);
  };
  const showPlace = b => {
    const inside = report.expressions.filter(x => b === root || x.place === b.place || x.place?.startsWith(b.place + ".") || x.place?.startsWith(b.place + "[") || x.place?.startsWith(b.place + "{"));
    details.append(make("h2", {}, b === root ? "The schema" : b.place), make("p", {class: "big"}, number(b === root ? report.total : Math.round(b.value))), make("p", {class: "soft"}, `${inside.length} expressions, ${percent(root.value ? b.value / root.value : 0)} of the schema`));
    if (b !== root) return;
    details.append(make("p", {}, report.server.within ? `within the limit of ${number(report.server.limit)}, ${number(report.server.limit - report.total)} left` : `over the limit of ${number(report.server.limit)}, ${times(report.total / report.server.limit)} times`));
    const advice = adviceOf(report);
    if (advice) details.append(advice);
    if (report.findings.length) details.append(make("h3", {}, `Kubernetes ${report.release} rejects the schema`));
    for (const f of report.findings) details.append(make("div", {class: "said"}, make("code", {}, f.path), make("div", {class: "soft"}, f.message)));
    const v = report.validation;
    if (v) details.append(make("h3", {}, "Spent on an object"), rows(["all", number(v.cost), `of ${number(v.budget)}`], ...v.spending.slice(0, 20).map(s => [make("code", {}, s.path), number(s.cost), `${s.evaluations} evaluations`])));
    showColours();
  };
  const showColours = () => {
    const names = {over: "over its limit", ok: "within its limit", loop: "loop", call: "function", read: "variable, field", make: "literal, list, map"};
    details.append(make("h3", {}, "Colours"), make("p", {class: "keys"}, ...Object.entries(names).map(([c, t]) => make("span", {}, make("i", {class: c}), t))),
      make("p", {class: "soft"}, "The width of a box is its share of the estimated cost. Click one to look into it."));
  };
  const show = () => {
    details.replaceChildren();
    if (chosen.n) showNode(chosen.x, chosen.n); else if (chosen.x) showExpression(chosen.x); else showPlace(chosen);
  };

  const good = single ? data.server.within : data.accepted;
  if (!single) document.getElementById("title").textContent = [data.name || "Cost of rules", data.version].filter(Boolean).join(" ");
  document.getElementById("summary").textContent = (single ? "" : `${data.expressions.length} expressions, `) + `estimated at ${number(data.total)} of ${number(data.server.limit)} units`;
  document.getElementById("verdict").append(make("span", {class: "chip " + (good ? "good" : "bad")}, single ? (good ? "within" : "over") + " the limit of a rule" : `Kubernetes ${data.release} ${good ? "accepts" : "rejects"} it`));
  document.getElementById("list").hidden = single;
  window.addEventListener("resize", draw);
  window.addEventListener("keydown", e => { if (e.key === "Escape") choose(zoomed.above ?? root, true); });
  // #expression=0 opens the page at an expression, #node=3.1 at a node of it.
  const [, index] = /expression=(\d+)/.exec(location.hash) ?? [], [, id] = /node=(\d+)/.exec(location.hash) ?? [];
  const wanted = report.expressions[index], box = wanted && find(root, wanted);
  const byId = b => b.n && String(b.n.id) === id ? b : b.below.map(byId).find(Boolean);
  if (box) choose(box, false);
  if (box && id) choose(byId(box) ?? box, false);
  if (!box) choose(root, true);
})();
