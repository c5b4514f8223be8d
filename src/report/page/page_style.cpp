#include "report/page/page_parts.h"

namespace petri {

std::string_view page_style() {
  return R"css(
:root {
  color-scheme: light dark;
  --ground: #f4f6f8; --paper: #fff; --ink: #18212c; --soft: #5a6776; --line: #e2e7ec; --rail: #edf0f3;
  --accent: #0b7d77; --ancestry: #d9541e; --cloud: #7c93ab;
  --ok: #2b9e73; --guest: #d2495a; --limit: #e0a030; --error: #8577c4;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0e1318; --paper: #171e26; --ink: #e7edf3; --soft: #9aa8b7; --line: #2a333e; --rail: #222a34;
    --accent: #3fd0c3; --ancestry: #ff8a50; --cloud: #8ba3bd;
    --ok: #3fbf8d; --guest: #ee6a79; --limit: #efb64d; --error: #a498e0;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 16px; max-width: 1160px; margin: 0 auto;
  padding: 28px 20px 0; }
header, .note, .tiles, #curve, #best, #graph { grid-column: 1 / -1; }
header { padding-left: 16px; border-left: 4px solid var(--accent); }
h1 { margin: 0; font-size: 26px; line-height: 1.2; letter-spacing: -.01em; overflow-wrap: anywhere; }
header p { margin: 2px 0 0; color: var(--soft); }
h2 { margin: 0 0 10px; font-size: 16px; }
section { padding: 18px 20px; background: var(--paper); border: 1px solid var(--line); border-radius: 10px; min-width: 0; }
section p { margin: 0 0 10px; color: var(--soft); }
code { font: 13px/1.4 ui-monospace, monospace; overflow-wrap: anywhere; }
.note { margin: 0; padding: 12px 16px; border: 1px solid var(--limit); border-radius: 10px; overflow-wrap: anywhere; }
.tiles { display: flex; flex-wrap: wrap; gap: 12px; }
.tile { flex: 1 1 150px; padding: 12px 16px; background: var(--paper); border: 1px solid var(--line); border-radius: 10px; }
.tile b { display: block; font-size: 22px; line-height: 1.25; font-variant-numeric: tabular-nums; white-space: nowrap; }
.tile span { display: block; color: var(--soft); font-size: 13px; line-height: 1.35; }
.tile:first-child b { color: var(--accent); }

.chart { display: block; width: calc(100% - 48px); margin-left: 48px; overflow: visible; }
.chart text { fill: var(--soft); font-size: 12px; paint-order: stroke; stroke: var(--paper); stroke-width: 4px;
  stroke-linejoin: round; font-variant-numeric: tabular-nums; }
.grid { stroke: var(--line); }
.chart path { fill: none; vector-effect: non-scaling-stroke; stroke-linecap: round; stroke-linejoin: round; }
path.cloud { stroke: var(--cloud); stroke-width: 4px; opacity: .32; }
path.best { stroke: var(--accent); stroke-width: 2.5px; }
path.ancestry { stroke: var(--ancestry); stroke-width: 1.5px; opacity: .9; }
.step { fill: var(--paper); stroke: var(--accent); stroke-width: 2px; }
.step.last { fill: var(--accent); }
path.quarters { fill: var(--accent); opacity: .16; stroke: none; }
.chart path.quarters { fill: var(--accent); }
path.median { stroke: var(--cloud); stroke-width: 2px; }
.key.median { background: var(--cloud); }
.key.quarters { height: 10px; background: var(--accent); opacity: .3; }
#graph input { margin: 0 4px 8px 0; }
#graph label { margin-right: 14px; color: var(--soft); font-size: 13px; }
.graph { overflow: auto; max-height: 640px; border: 1px solid var(--rail); border-radius: 6px; }
.graph svg { display: block; width: 100%; height: auto; }
#zoom200:checked ~ .graph svg { width: 200%; }
#zoom400:checked ~ .graph svg { width: 400%; }
#zoom800:checked ~ .graph svg { width: 800%; }
.graph text { fill: var(--soft); font-size: 11px; }
.edge { fill: none; stroke: var(--line); stroke-width: 1px; }
.edge.ancestor { stroke: var(--cloud); }
.edge.line { stroke: var(--ancestry); stroke-width: 3px; }
.node { fill: var(--line); stroke: var(--cloud); stroke-width: 1px; }
.node.ancestor { fill: var(--cloud); }
.node.line { fill: var(--ancestry); stroke: var(--ancestry); }
.key.line { background: var(--ancestry); }
.key.ancestor { width: 9px; height: 9px; border-radius: 50%; background: var(--cloud); }
#graph .key.other { width: 9px; height: 9px; border-radius: 50%; background: var(--line); }
section .axis { margin: 0 0 2px; font-size: 12px; }
section .axis.end { text-align: right; }
section .legend { margin: 4px 0 0; font-size: 13px; }
.key { display: inline-block; width: 18px; height: 4px; margin: 0 6px 0 16px; border-radius: 2px; vertical-align: middle; }
.key:first-child { margin-left: 0; }
.key.best { background: var(--accent); }
.key.ancestry { background: var(--ancestry); }
.key.cloud { width: 7px; height: 7px; border-radius: 50%; background: var(--cloud); }
.key.ok, .key.other { width: 10px; height: 10px; }
.key.ok { background: var(--ok); }
.key.other { background: var(--limit); }
rect.rail { fill: var(--rail); }
rect.ok { fill: var(--ok); }
rect.guest { fill: var(--guest); }
rect.limit, rect.other { fill: var(--limit); }
rect.error { fill: var(--error); }

table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
th { text-align: left; font-weight: 600; }
.number { text-align: right; white-space: nowrap; }
.outcomes th, .outcomes td { padding: 0; }
.outcomes .number { padding-left: 12px; width: 1%; }
.outcomes .number + .number { color: var(--soft); min-width: 64px; }
.outcomes .drawn td { padding-bottom: 10px; }
.bar { display: block; }
small { display: block; margin-top: 3px; color: var(--soft); font-size: 12.5px; line-height: 1.4; overflow-wrap: anywhere; }
.wide { overflow-x: auto; }
.best th { color: var(--soft); font-size: 13px; border-bottom: 1px solid var(--line); }
.best th, .best td { padding: 5px 14px 5px 0; white-space: nowrap; }
.best tbody tr + tr td { border-top: 1px solid var(--rail); }
.best tbody tr:first-child { font-weight: 600; }
.rank { color: var(--soft); }
.hash { display: inline-block; max-width: 10ch; overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
  vertical-align: middle; color: var(--soft); font-weight: 400; }
.name { display: inline-block; max-width: 24ch; overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
  vertical-align: middle; }
.lineage { margin: 0; padding: 0 0 0 18px; list-style: none; }
.lineage li { position: relative; padding: 0 0 12px; }
.lineage li::before { content: ""; position: absolute; left: -18px; top: 6px; width: 10px; height: 10px; border-radius: 50%;
  background: var(--ancestry); }
.lineage li:not(:last-child)::after { content: ""; position: absolute; left: -14px; top: 18px; bottom: -4px; width: 2px;
  background: var(--line); }
.lineage .gap::before { background: var(--line); }
.lineage small .hash { font-size: 12.5px; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 5px 18px; margin: 0; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
dd .hash { max-width: 100%; }
footer { max-width: 1160px; margin: 0 auto; padding: 16px 20px 32px; color: var(--soft); font-size: 13px; }
@media (max-width: 760px) {
  main { grid-template-columns: minmax(0, 1fr); padding: 18px 12px 0; gap: 12px; }
  section { padding: 14px; }
  footer { padding: 14px 12px 24px; }
  .tile { flex-basis: 130px; }
}
@media print {
  :root { --ground: #fff; }
  section, .tile { break-inside: avoid; }
}
)css";
}

}  // namespace petri
