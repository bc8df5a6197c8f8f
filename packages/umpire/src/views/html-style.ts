// The style of the HTML report: one column, light and dark, readable on a phone and on paper.

export const HTML_STYLE = `
:root { color-scheme: light dark; --page: #fff; --text: #1c2128; --soft: #57606a; --line: #d0d7de; --panel: #f6f8fa;
  --good: #1a7f37; --warn: #8a5a00; --bad: #cf222e; --mark: #0550ae;
  --critical: #a40e26; --high: #c4470a; --medium: #9a6700; --low: #57606a; --added: #dafbe1; --removed: #ffebe9; }
@media (prefers-color-scheme: dark) { :root { --page: #0d1117; --text: #e6edf3; --soft: #9aa4af; --line: #30363d; --panel: #161b22;
  --good: #3fb950; --warn: #d9a526; --bad: #ff7b72; --mark: #79c0ff;
  --critical: #ff7b72; --high: #ffa657; --medium: #e3b341; --low: #9aa4af; --added: #12351f; --removed: #46191c; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 62rem; padding: 1.5rem 1rem 3rem; background: var(--page); color: var(--text);
  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .5rem; }
h2 { font-size: 1.2rem; margin: 2rem 0 .75rem; padding-bottom: .25rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.25rem 0 .35rem; }
h4 { font-size: 1rem; font-weight: 600; margin: .75rem 0 .25rem; }
code { font: .9em ui-monospace, monospace; }
p { margin: .35rem 0; }
ul { padding-left: 1.25rem; }
.kind, figcaption, footer, .key { color: var(--soft); font-size: .875rem; }
.note { border-left: 3px solid var(--warn); padding: .25rem .75rem; background: var(--panel); }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 17rem), 1fr)); gap: 1rem; }
figure { margin: 0; padding: .75rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--panel); }
figcaption { font-weight: 600; }
svg { display: block; width: 100%; height: auto; max-width: 30rem; }
svg text { fill: var(--soft); font: 11px system-ui, sans-serif; }
.axis path { fill: none; stroke: var(--line); }
.line polyline { fill: none; stroke: var(--mark); stroke-width: 2; }
.line circle, rect.bar { fill: var(--mark); }
.key span { margin-right: .75rem; white-space: nowrap; }
.key i { display: inline-block; width: .7em; height: .7em; margin-right: .35em; }
rect.critical { fill: var(--critical); } rect.high { fill: var(--high); } rect.medium { fill: var(--medium); } rect.low { fill: var(--low); }
i.critical { background: var(--critical); } i.high { background: var(--high); } i.medium { background: var(--medium); } i.low { background: var(--low); }
pre { overflow-x: auto; padding: .75rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--panel);
  font: 13px/1.45 ui-monospace, monospace; overflow-wrap: normal; }
.diff span { display: inline-block; min-width: 100%; }
.file { font-weight: 600; } .hunk { color: var(--mark); } .added { background: var(--added); } .removed { background: var(--removed); }
@media print { body { max-width: none; } section { break-inside: auto; } }
`;
