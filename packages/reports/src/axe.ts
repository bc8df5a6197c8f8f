// axe-core: every element that violates a rule is a finding with the rule's impact; a rule that axe could not decide (`incomplete`)
// is one Low finding, for a person to look at. One page, a list of pages, or a bare list of rules.

import type { JsonFormat } from './format.js';
import { toProjectPath } from './project-path.js';
import { keepObjects, type ReportBuilder, requireList } from './report-builder.js';
import { isObject, type JsonObject, nameOf, own } from '@umpire/core/formats/json-text.js';
import { listIn, textIn } from '@umpire/core/formats/json-values.js';
import { parseSeverity, unknownSeverityNote } from '@umpire/core/formats/severity.js';
import type { Severity } from '@umpire/core/model/vocabulary.js';

const IMPACTS: ReadonlyMap<string, Severity> = new Map([
  ['critical', 'critical'],
  ['serious', 'high'],
  ['moderate', 'medium'],
  ['minor', 'low'],
]);

/** Where tools that merge axe's lists say which list a rule comes from. */
const SAID = ['result', 'resultType', 'type', 'status', 'outcome'];
const UNDECIDED: ReadonlySet<string> = new Set(['incomplete', 'canttell', 'needsreview', 'undecided']);

/** How axe words a check that it could not decide; no message of a failed check of axe-core 3 and 4 reads like this. */
const CANNOT_TELL =
  /(?:could not|cannot) (?:be (?:accurately )?determined|determine|get)\b|^unable to (?:determine|compute)\b|was not analyzed|^(?:check|ensure) |still has to be tested|is (?:this|the neighbor) a target\?$/i;

export const axe: JsonFormat = {
  id: 'axe',
  title: 'axe-core JSON',
  content: 'findings',
  recognises: ({ isArray, keys, text }) =>
    isArray
      ? keys.has('nodes') && (keys.has('helpUrl') || keys.has('impact'))
      : keys.has('violations') && (keys.has('passes') || keys.has('testEngine') || keys.has('incomplete') || text.includes('"helpUrl"')),
  read: (value, report, { root }) => {
    if (!Array.isArray(value) && !isObject(value))
      return report.fail(`the report is ${nameOf(value)}; expected an object with "violations"`);
    const entries = keepObjects(report, Array.isArray(value) ? value : [value], 'an entry');
    const run = new AxeRun(report, root);
    for (const page of entries) if (!Array.isArray(own(page, 'nodes'))) run.addPage(page);
    run.addBareRules(entries.filter((entry) => Array.isArray(own(entry, 'nodes'))));
    report.failIfNothingIsLeft(run.rules);
    if (entries.length === 0) report.fail('the list "violations" is missing');
    else if (run.rules === 0 && entries.some((page) => Array.isArray(own(page, 'passes')))) report.fail('no rule ran: every list is empty');
  },
};

class AxeRun {
  rules = 0;
  private url = '';

  constructor(
    private readonly report: ReportBuilder,
    private readonly root: string | undefined,
  ) {}

  addPage(page: JsonObject): void {
    this.url = textIn(page, 'url');
    for (const rule of keepObjects(this.report, requireList(this.report, page, 'violations'), 'a violation')) this.addViolation(rule);
    for (const rule of keepObjects(this.report, listIn(page, 'incomplete'), 'an incomplete check')) {
      this.rules += 1;
      this.addUndecided(rule, listIn(rule, 'nodes').length);
    }
    this.rules += listIn(page, 'passes').length + listIn(page, 'inapplicable').length;
  }

  /**
   * Rules of a list that does not say which of axe's lists it is: only violations and undecided rules have a summary or an impact. A list
   * of passed rules rates some of them too. Where none passed, it is a list of violations.
   */
  addBareRules(rules: readonly JsonObject[]): void {
    const says = (rule: JsonObject, key: string): boolean => [rule, ...listIn(rule, 'nodes')].some((each) => textIn(each, key) !== '');
    const hasPassed = rules.some((rule) => !says(rule, 'failureSummary') && !says(rule, 'impact'));
    for (const rule of rules) {
      if (says(rule, 'failureSummary') || (says(rule, 'impact') && !hasPassed)) this.addViolation(rule);
      else this.rules += 1;
    }
  }

  private addViolation(rule: JsonObject): void {
    this.rules += 1;
    const nodes = listIn(rule, 'nodes');
    const words = SAID.map((key) =>
      textIn(rule, key)
        .toLowerCase()
        .replaceAll(/[^a-z]/g, ''),
    );
    if (words.some((word) => UNDECIDED.has(word))) return this.addUndecided(rule, nodes.length);
    const undecided = nodes.filter(isUndecided);
    if (undecided.length > 0) this.addUndecided(rule, undecided.length);
    for (const node of nodes.length === 0 ? [rule] : nodes) {
      if (undecided.includes(node)) continue;
      // The element's own impact, else the rule's.
      const word = textIn(node, 'impact') || textIn(rule, 'impact');
      const severity = IMPACTS.get(word) ?? parseSeverity(word);
      if (severity === null) this.report.note(unknownSeverityNote(word || 'none'));
      // `["iframe", ["#host", ".inner"]]`: selectors through frames and shadow roots.
      const selectors = listIn(node, 'target').slice(0, 10).flat().slice(0, 10);
      const where = selectors.filter((each) => typeof each === 'string').join(' ');
      this.addFinding(rule, severity ?? 'high', where.slice(0, 200));
    }
  }

  private addUndecided(rule: JsonObject, count: number): void {
    this.addFinding(rule, 'low', `${count === 1 ? '1 element needs' : `${count} elements need`} a manual check`);
  }

  private addFinding(rule: JsonObject, severity: Severity, where: string): void {
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
}

/** An element of a rule that was merged into the violations: all of its checks say that they could not decide. */
function isUndecided(node: unknown): boolean {
  const messages = ['any', 'all', 'none'].flatMap((list) => listIn(node, list)).map((check) => textIn(check, 'message'));
  return messages.length > 0 && messages.every((message) => CANNOT_TELL.test(message));
}
