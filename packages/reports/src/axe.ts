// axe-core: every element that violates a rule is a finding with the rule's impact; a rule that axe could not decide (`incomplete`)
// is one Low finding, for a person to look at. One page, a list of pages, or a bare list of rules.

import type { Format } from './format.js';
import { jsonReader } from './json-reader.js';
import { toProjectPath } from './project-path.js';
import type { ReportBuilder } from './report-builder.js';
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

const MOST_RATED = 1000;

/** Where tools that merge axe's lists say which list a rule comes from. */
const SAID = ['result', 'resultType', 'type', 'status', 'outcome'];
const UNDECIDED: ReadonlySet<string> = new Set(['incomplete', 'canttell', 'needsreview', 'undecided']);

/** How axe words a check that it could not decide; no message of a failed check of axe-core 3 and 4 reads like this. */
const CANNOT_TELL =
  /(?:could not|cannot) (?:be (?:accurately )?determined|determine|get)\b|^unable to (?:determine|compute)\b|was not analyzed|^(?:check|ensure) |still has to be tested|is (?:this|the neighbor) a target\?$/i;

export const axe: Format = {
  id: 'axe',
  title: 'axe-core JSON',
  content: 'findings',
  recognises: ({ kind, isArray, keys, text }) =>
    kind === 'json' &&
    ((keys.has('violations') && (keys.has('passes') || keys.has('testEngine') || keys.has('incomplete') || text.includes('"helpUrl"'))) ||
      (isArray && keys.has('nodes') && (keys.has('helpUrl') || keys.has('impact')))),
  open: (report, { root }) => {
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
  /** Rules of a bare list that have an impact, but no summary of what to fix. */
  private readonly rated: JsonObject[] = [];
  private hasPassed = false;

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
    if (!isObject(value)) return this.report.drop(`an entry is ${nameOf(value)}; expected the results of a page, or a violation`);
    if (Array.isArray(own(value, 'nodes'))) {
      this.sees('violations');
      return this.bareRule(value);
    }
    if (!Array.isArray(own(value, 'violations'))) return this.report.fail('a page has no list "violations"');
    this.sees('violations');
    if (Array.isArray(own(value, 'passes'))) this.sees('passes');
    this.url = textIn(value, 'url');
    for (const rule of listIn(value, 'violations')) this.violation(rule);
    for (const rule of listIn(value, 'incomplete')) this.incomplete(rule);
    this.rules += listIn(value, 'passes').length + listIn(value, 'inapplicable').length;
  }

  /** A rule of a list that does not say which of axe's lists it is: only violations and undecided rules have a summary or an impact. */
  private bareRule(rule: JsonObject): void {
    const nodes = listIn(rule, 'nodes');
    if ([rule, ...nodes].some((each) => textIn(each, 'failureSummary') !== '')) return this.violation(rule);
    const hasImpact = [rule, ...nodes].some((each) => textIn(each, 'impact') !== '');
    if (hasImpact && this.rated.length < MOST_RATED) this.rated.push(rule);
    else if (hasImpact) this.violation(rule);
    else {
      this.hasPassed = true;
      this.counts();
    }
  }

  violation(value: unknown): void {
    if (!isObject(value)) return this.report.drop(`a violation is ${nameOf(value)}; expected an object`);
    this.rules += 1;
    const said = SAID.map((key) =>
      textIn(value, key)
        .toLowerCase()
        .replace(/[^a-z]/g, ''),
    );
    if (said.some((word) => UNDECIDED.has(word))) return this.undecided(value, listIn(value, 'nodes').length);
    const nodes = listIn(value, 'nodes');
    const undecided = nodes.filter(isUndecided);
    if (undecided.length > 0) this.undecided(value, undecided.length);
    for (const node of nodes.length === 0 ? [value] : nodes)
      if (!undecided.includes(node)) this.finding(value, this.severityOf(value, node), targetOf(node));
  }

  incomplete(value: unknown): void {
    if (!isObject(value)) return this.report.drop(`an incomplete check is ${nameOf(value)}; expected an object`);
    this.rules += 1;
    this.undecided(value, listIn(value, 'nodes').length);
  }

  private undecided(rule: JsonObject, count: number): void {
    this.finding(rule, 'low', `${count === 1 ? '1 element needs' : `${count} elements need`} a manual check`);
  }

  finish(): void {
    // A list of passed rules rates some of them too. Where none passed, it is a list of violations.
    for (const rule of this.rated) {
      if (this.hasPassed) this.counts();
      else this.violation(rule);
    }
    this.report.failIfNothingIsLeft(this.rules);
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

/** An element of a rule that was merged into the violations: all of its checks say that they could not decide. */
function isUndecided(node: unknown): boolean {
  const messages = ['any', 'all', 'none'].flatMap((list) => listIn(node, list)).map((check) => textIn(check, 'message'));
  return messages.length > 0 && messages.every((message) => CANNOT_TELL.test(message));
}
