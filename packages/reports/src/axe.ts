// axe-core: every element that violates a rule is a finding with the rule's impact; a rule that axe could not decide (`incomplete`)
// is one Low finding, for a person to look at. One page, a list of pages, or a bare list of violations.

import type { Format, ReportReader } from './format.js';
import { jsonReader } from './json-reader.js';
import { toProjectPath } from './project-path.js';
import { ReportBuilder } from './report-builder.js';
import { isObject, type JsonObject, nameOf, own } from '@umpire/core/formats/json-text.js';
import { listIn, textIn } from '@umpire/core/formats/json-values.js';
import { parseSeverity, unknownSeverityNote } from '@umpire/core/formats/severity.js';
import type { Severity } from '@umpire/core/model.js';

const IMPACTS: ReadonlyMap<string, Severity> = new Map([
  ['critical', 'critical'],
  ['serious', 'high'],
  ['moderate', 'medium'],
  ['minor', 'low'],
]);

export const axe: Format = {
  id: 'axe',
  title: 'axe-core JSON',
  recognises: ({ kind, isArray, keys, text }) =>
    kind === 'json' &&
    ((keys.has('violations') && (keys.has('passes') || keys.has('testEngine') || keys.has('incomplete') || text.includes('"helpUrl"'))) ||
      (isArray && keys.has('nodes') && (keys.has('helpUrl') || keys.has('impact')))),
  open: ({ root, ...options }): ReportReader => {
    const report = new ReportBuilder('axe', 'findings', options);
    const run = new AxeRun(report, root);
    return jsonReader(report, () => ({
      picks: {
        '': (value) => report.fail(`the report is ${nameOf(value)}; expected an object with "violations"`),
        '[]': (value) => run.page(value),
        url: (value) => {
          run.url = typeof value === 'string' ? value : '';
        },
        violations: { open: () => run.sees('violations'), value: () => report.fail('"violations" is not a list') },
        'violations[]': (value) => run.violation(value),
        'incomplete[]': (value) => run.incomplete(value),
        passes: { open: () => run.sees('passes') },
        'passes[]': { value: () => run.counts(), without: ['nodes'] },
        'inapplicable[]': () => run.counts(),
      },
      unit: 'rule',
      count: () => run.rules,
      finish: (isWhole) => {
        if (isWhole) run.finish();
      },
    }));
  },
};

class AxeRun {
  url = '';
  rules = 0;
  private readonly seen = new Set<string>();

  constructor(
    private readonly report: ReportBuilder,
    private readonly root: string | undefined,
  ) {}

  sees(list: string): void {
    this.seen.add(list);
  }

  counts(): void {
    this.rules += 1;
  }

  /** An entry of a list: the results of one page, or one violation. */
  page(value: unknown): void {
    if (!isObject(value)) return this.report.fail(`an entry is ${nameOf(value)}; expected the results of a page, or a violation`);
    if (Array.isArray(own(value, 'nodes'))) {
      this.sees('violations');
      return this.violation(value);
    }
    if (!Array.isArray(own(value, 'violations'))) return this.report.fail('a page has no list "violations"');
    this.sees('violations');
    if (Array.isArray(own(value, 'passes'))) this.sees('passes');
    this.url = textIn(value, 'url');
    for (const rule of listIn(value, 'violations')) this.violation(rule);
    for (const rule of listIn(value, 'incomplete')) this.incomplete(rule);
    this.rules += listIn(value, 'passes').length + listIn(value, 'inapplicable').length;
  }

  violation(value: unknown): void {
    this.rules += 1;
    if (!isObject(value)) return this.report.fail(`a violation is ${nameOf(value)}; expected an object`);
    const nodes = listIn(value, 'nodes');
    for (const node of nodes.length === 0 ? [value] : nodes) this.finding(value, this.severityOf(value, node), targetOf(node));
  }

  incomplete(value: unknown): void {
    this.rules += 1;
    if (!isObject(value)) return this.report.fail(`an incomplete check is ${nameOf(value)}; expected an object`);
    const count = listIn(value, 'nodes').length;
    this.finding(value, 'low', `${count === 1 ? '1 element needs' : `${count} elements need`} a manual check`);
  }

  finish(): void {
    if (!this.seen.has('violations')) this.report.fail('the list "violations" is missing');
    else if (this.rules === 0 && this.seen.has('passes')) this.report.fail('no rule ran: every list is empty');
  }

  private finding(rule: JsonObject, severity: Severity, where: string): void {
    const isFile = this.url.toLowerCase().startsWith('file:');
    const said = textIn(rule, 'help') || textIn(rule, 'description') || textIn(rule, 'id');
    const page = this.url === '' || isFile ? '' : ` on ${this.url.slice(0, 200)}`;
    this.report.addFinding({
      severity,
      message: `${said.slice(0, 200)}${where === '' ? '' : `: ${where}`}${page}`,
      artifact: isFile ? toProjectPath(this.url, this.root) : null,
      rule: textIn(rule, 'id'),
    });
  }

  /** The element's own impact, else the rule's. */
  private severityOf(rule: JsonObject, node: unknown): Severity {
    const word = textIn(node, 'impact') || textIn(rule, 'impact');
    const severity = IMPACTS.get(word) ?? parseSeverity(word);
    if (severity === null) this.report.note(unknownSeverityNote(word || 'none'));
    return severity ?? 'high';
  }
}

/** `["iframe", ["#host", ".inner"]]`: selectors through frames and shadow roots. */
function targetOf(node: unknown): string {
  return listIn(node, 'target')
    .slice(0, 10)
    .flat()
    .slice(0, 10)
    .filter((each) => typeof each === 'string')
    .join(' ')
    .slice(0, 200);
}
