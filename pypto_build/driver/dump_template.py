# SPDX-License-Identifier: Apache-2.0
"""The frame of the page of dumped programs: style, the keys that walk through it, and the places for its content."""

from __future__ import annotations

from string import Template
from typing import Final

PAGE: Final = Template("""\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$name: pass by pass</title>
<style>
$palette
* { box-sizing: border-box; }
body { margin: 0; display: grid; grid-template-columns: 24rem minmax(0, 1fr); background: var(--back);
  color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
aside { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1rem; background: var(--panel);
  border-right: 1px solid var(--line); }
aside h1 { margin: 0; font-size: 1.1rem; }
aside p, .counts, section > p, .same { color: var(--faint); }
aside ol { margin: 0; padding: 0; list-style: none; }
aside li a { display: flex; flex-wrap: wrap; gap: 0 .5rem; padding: .1rem .4rem; border-radius: .3rem; color: inherit;
  text-decoration: none; }
aside li a:hover, aside li a:focus { background: var(--line); }
aside .counts { margin-left: auto; }
.counts { font-size: .8rem; font-weight: normal; white-space: nowrap; }
.plus { color: var(--plus); } .minus { color: var(--minus); }
.number { color: var(--faint); font-variant-numeric: tabular-nums; }
main { padding: 1rem 2rem 50vh; }
a { color: var(--link); }
section { scroll-margin-top: 1rem; margin-bottom: 2.5rem; }
section:target h2, li:target { outline: 2px solid var(--link); outline-offset: .2rem; border-radius: .2rem; }
h2 { display: flex; gap: .6rem; align-items: baseline; margin: 0; font-size: 1.15rem; }
h2 nav { margin-left: auto; font-size: .85rem; font-weight: normal; }
section > p { margin: 0 0 .5rem; }
table { width: 100%; border-collapse: collapse; border: 1px solid var(--line); }
td { padding: 0 .5rem; vertical-align: top; font: 13px/1.45 ui-monospace, monospace; white-space: pre-wrap;
  overflow-wrap: anywhere; }
td:nth-child(-n+2) { width: 3.2rem; color: var(--faint); text-align: right; user-select: none; white-space: nowrap; }
tr.ins td { background: var(--ins); } tr.ins mark { background: var(--ins-mark); color: inherit; }
tr.del td { background: var(--del); } tr.del mark { background: var(--del-mark); color: inherit; }
tr.gap td { background: var(--panel); color: var(--faint); }
details { margin: .5rem 0; }
summary { cursor: pointer; color: var(--faint); }
pre { overflow-x: auto; padding: .8rem; background: var(--panel); border: 1px solid var(--line);
  font: 13px/1.45 ui-monospace, monospace; }
kbd { padding: 0 .3rem; border: 1px solid var(--line); border-radius: .2rem; font: .85em ui-monospace, monospace; }
@media (max-width: 50rem) {
  body { display: block; }
  aside { position: static; height: auto; border-right: 0; }
}
</style>
</head>
<body>
<aside>
<h1>$name</h1>
<p>$summary<br><kbd>j</kbd> next change, <kbd>k</kbd> previous</p>
<ol>
$links
</ol>
</aside>
<main>
$sections
</main>
<script>
function unfold() {
  const target = document.getElementById(location.hash.slice(1));
  const fold = target && target.closest("details");
  if (fold) { fold.open = true; target.scrollIntoView(); }
}
addEventListener("hashchange", unfold);
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || !["j", "k"].includes(event.key)) return;
  const sections = [...document.querySelectorAll("section")];
  const tops = sections.map((section) => section.getBoundingClientRect().top);
  const next = event.key === "j" ? tops.findIndex((top) => top > 20) : tops.findLastIndex((top) => top < -1);
  if (next >= 0) location.hash = sections[next].id;
});
unfold();
</script>
</body>
</html>
""")
