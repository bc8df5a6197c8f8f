// SARIF 2.1.0: the results of every run, read one by one. What a run needs to settle them is sarif-run.ts's; how a result becomes
// a finding is ../sarif-results.ts's.

import { isObject, nameOf, own } from '@umpire/core/formats/json-text.js';
import type { Format, ReadOptions, ReportReader } from './format.js';
import type { Picks } from './json-picks.js';
import { counted, jsonReader, type JsonPlan } from './json-reader.js';
import { listIn, objectIn, textIn } from '@umpire/core/formats/json-values.js';
import { SarifRun } from './sarif-run.js';
import { Sheet } from './sheet.js';

/** Of a result nobody reads these, and they are most of it. */
const UNREAD = [
  'codeFlows',
  'relatedLocations',
  'stacks',
  'graphs',
  'graphTraversals',
  'fixes',
  'attachments',
  'webRequest',
  'webResponse',
  'taxa',
  'conversionProvenance',
];
const UNREAD_OF_RULES = ['help', 'helpUri', 'relationships', 'deprecatedIds'];

export const sarif: Format = {
  id: 'sarif',
  title: 'SARIF 2.1.0',
  recognises: ({ kind, isArray, keys, text }) =>
    kind === 'json' && !isArray && keys.has('runs') && (/sarif/i.test(text) || text.includes('"results"') || text.includes('"tool"')),
  open: (options): ReportReader => {
    const sheet = new Sheet('sarif', 'findings', options);
    return jsonReader(sheet, () => new SarifLog(sheet, options).plan());
  },
};

class SarifLog {
  private run: SarifRun | null = null;
  private runs = 0;
  private hasRuns = false;
  private results = 0;

  constructor(
    private readonly sheet: Sheet,
    private readonly options: ReadOptions,
  ) {}

  plan(): JsonPlan {
    return {
      picks: { ...this.top(), ...this.inRuns(), ...this.inExternal() },
      unit: 'result',
      count: () => this.results,
      finish: (isWhole) => {
        this.run?.settle();
        if (isWhole && !this.hasRuns) this.sheet.fail('there is no list "runs" in it; expected SARIF 2.1.0');
        else if (isWhole && this.runs === 0) this.sheet.fail('there is no run in it; expected at least one in "runs"');
      },
    };
  }

  private top(): Picks {
    return {
      '': (value) => this.sheet.fail(`it is ${nameOf(value)}; expected an object with "runs"`),
      version: (value) => {
        if (value !== '2.1.0') this.sheet.note(`it is of SARIF version ${JSON.stringify(value).slice(0, 40)}; it was read as 2.1.0`);
      },
      runs: {
        open: () => {
          this.hasRuns = true;
        },
        value: (value) => this.sheet.fail(`"runs" is ${nameOf(value)}; expected a list`),
      },
    };
  }

  private inRuns(): Picks {
    const { sheet } = this;
    return {
      'runs[]': {
        open: () => this.begin(),
        close: () => this.end(true),
        value: (value) => sheet.fail(`a run is ${nameOf(value)}; expected an object`),
      },
      'runs[].tool': { close: () => this.run?.toolEnds() },
      'runs[].tool.driver.rules[]': { value: (rule) => this.run?.rule(rule), without: UNREAD_OF_RULES },
      'runs[].tool.extensions[]': { open: () => this.run?.extensionBegins() },
      'runs[].tool.extensions[].rules[]': { value: (rule) => this.run?.ruleOfExtension(rule), without: UNREAD_OF_RULES },
      'runs[].originalUriBaseIds.*': (base, name) => this.run?.base(name, base),
      'runs[].artifacts[]': { value: (artifact) => this.run?.artifact(artifact), without: ['contents', 'hashes', 'properties'] },
      'runs[].invocations[]': {
        value: (invocation) => this.invocation(invocation),
        without: ['environmentVariables', 'arguments', 'notificationConfigurationOverrides'],
      },
      'runs[].externalPropertyFileReferences': (files) => this.elsewhere(files),
      'runs[].results': {
        open: () => this.run?.resultsBegin(),
        value: (value) => {
          if (value !== null) sheet.fail(`"results" of a run is ${nameOf(value)}; expected a list`);
        },
      },
      'runs[].results[]': { value: (result) => this.result(result), without: UNREAD },
    };
  }

  /** What a log carries for its runs instead of in them. */
  private inExternal(): Picks {
    return {
      'inlineExternalProperties[]': {
        open: () => {
          this.sheet.note('parts of its runs are in "inlineExternalProperties"; the results there are read too');
          this.begin();
        },
        close: () => this.end(false),
      },
      'inlineExternalProperties[].driver.rules[]': { value: (rule) => this.run?.rule(rule), without: UNREAD_OF_RULES },
      'inlineExternalProperties[].results[]': { value: (result) => this.result(result), without: UNREAD },
    };
  }

  private begin(): void {
    this.run = new SarifRun(this.sheet, this.options);
  }

  private end(isRun: boolean): void {
    const { run } = this;
    this.run = null;
    run?.settle();
    if (!isRun) return;
    this.runs += 1;
    if (run?.hasResults === false)
      this.sheet.fail(
        `run ${this.runs} has no results: the tool did not look, or did not finish; expected a list "results", if an empty one`,
      );
  }

  private result(value: unknown): void {
    this.results += 1;
    if (isObject(value)) this.run?.result(value);
    else this.sheet.fail(`a result is ${nameOf(value)}; expected an object`);
  }

  private invocation(value: unknown): void {
    this.run?.invocation(value);
    if (!isObject(value)) return;
    const errors = ['toolExecutionNotifications', 'toolConfigurationNotifications']
      .flatMap((key) => listIn(value, key))
      .filter((each) => textIn(each, 'level').toLowerCase() === 'error')
      .map((each) => textIn(objectIn(each, 'message'), 'text'));
    const why = (textIn(value, 'exitCodeDescription') || errors[0] || '').replace(/\s+/g, ' ').slice(0, 300);
    if (own(value, 'executionSuccessful') === false)
      this.sheet.saysFailed(`the tool says that its run failed${why === '' ? '' : `: ${why}`}`);
    else if (errors.length > 0)
      this.sheet.note(`the tool reports ${counted(errors.length, 'error')} of its own run${why === '' ? '' : `, first: ${why}`}`);
  }

  private elsewhere(files: unknown): void {
    if (!isObject(files)) return;
    const names = listIn(files, 'results').map((each) => textIn(objectIn(each, 'location'), 'uri').slice(0, 200));
    if (names.length > 0) this.sheet.fail(`results lie in another file (${names.slice(0, 3).join(', ')}); join it into this report`);
    else this.sheet.note('parts of a run lie in other files, which are not read');
  }
}
