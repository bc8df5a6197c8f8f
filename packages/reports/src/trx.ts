// TRX, the results of `dotnet test --logger trx`: results first, then the definitions that name the class of each test, then a summary.

import type { TestStatus } from '@umpire/core/model/vocabulary.js';
import type { Format } from './format.js';
import { type ReportBuilder, toMilliseconds } from './report-builder.js';
import { readCount, readXml, type XmlAttributes, type XmlHandler } from './xml.js';

const OUTCOMES: ReadonlyMap<string, TestStatus> = new Map([
  ['passed', 'passed'],
  ['warning', 'passed'],
  ['completed', 'passed'],
  ['failed', 'failed'],
  ['notexecuted', 'skipped'],
  ['inconclusive', 'skipped'],
  ['pending', 'skipped'],
  ['notrunnable', 'skipped'],
]);

interface TrxResult {
  readonly test: string;
  readonly name: string;
  readonly status: TestStatus;
  readonly durationMs: number | null;
  /** Rows of data below it: it is no test of its own. */
  hasRows: boolean;
  message: string;
}

class TrxHandler implements XmlHandler {
  private readonly results: TrxResult[] = [];
  private readonly openResults: TrxResult[] = [];
  private readonly classes = new Map<string, string>();
  private definition = '';
  private isInError = false;
  private outcome = '';
  private stated = -1;
  private readonly infos: string[] = [];
  private isInInfo = false;

  constructor(private readonly report: ReportBuilder) {}

  open(name: string, attributes: XmlAttributes): boolean {
    if (name === 'UnitTestResult') this.openResult(attributes);
    else if (name === 'UnitTest') this.definition = attributes['id'] ?? '';
    else if (name === 'TestMethod') this.classes.set(this.definition, (attributes['className'] ?? '').split(',', 1)[0]?.trim() ?? '');
    else if (name === 'ErrorInfo') this.isInError = true;
    else if (name === 'ResultSummary') this.outcome = attributes['outcome'] ?? '';
    else if (name === 'Counters') this.stated = readCount(attributes, 'failed') + Math.max(0, readCount(attributes, 'error'));
    else if (name === 'RunInfo') this.isInInfo = attributes['outcome'] === 'Error' || attributes['outcome'] === 'Failed';
    return (name === 'Message' && this.isInError) || (name === 'Text' && this.isInInfo);
  }

  close(name: string, text: string): void {
    if (name === 'UnitTestResult') this.openResults.pop();
    else if (name === 'ErrorInfo') this.isInError = false;
    else if (name === 'RunInfo') this.isInInfo = false;
    else if (name === 'Message' && this.isInError) {
      const result = this.openResults.at(-1);
      if (result !== undefined) result.message ||= text.trim();
    } else if (name === 'Text' && this.isInInfo) this.infos.push(text.trim().slice(0, 300));
  }

  end(): void {
    const { report } = this;
    let bad = 0;
    for (const { test, name, status, durationMs, hasRows, message } of this.results) {
      if (hasRows) continue;
      const owner = this.classes.get(test) ?? '';
      const isBad = status === 'failed' || status === 'errored';
      if (isBad) bad += 1;
      // xUnit names a test by its class too.
      const own = owner !== '' && name.startsWith(`${owner}.`) ? name.slice(owner.length + 1) : name;
      const id = [owner, own || 'a test without a name'].filter((part) => part !== '').join(' > ');
      report.addDistinctTest({ id, status, file: null, line: null, message: isBad ? message || null : null, durationMs });
    }
    report.compareStated('failed tests', this.stated < 0 ? null : this.stated, bad, 'failures');
    if (bad === 0 && /^(?:Failed|Error|Aborted|Timeout)$/.test(this.outcome))
      report.markFailed(`the report states that the run ended as ${this.outcome}${this.infos.length === 0 ? '' : `: ${this.infos[0]}`}`);
  }

  private openResult(attributes: XmlAttributes): void {
    const outer = this.openResults.at(-1);
    if (outer !== undefined) outer.hasRows = true;
    const [, hours = '', minutes = '', seconds = ''] = /^(\d+):(\d+):(\d+(?:\.\d+)?)$/.exec(attributes['duration'] ?? '') ?? [];
    const result: TrxResult = {
      test: attributes['testId'] ?? outer?.test ?? '',
      name: attributes['testName']?.trim() ?? '',
      status: OUTCOMES.get((attributes['outcome'] ?? 'Error').toLowerCase()) ?? 'errored',
      durationMs: seconds === '' ? null : toMilliseconds(Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)),
      hasRows: false,
      message: '',
    };
    this.results.push(result);
    this.openResults.push(result);
  }
}

export const trx: Format = {
  id: 'trx',
  title: 'TRX of dotnet test',
  content: 'tests',
  recognises: ({ kind, root }) => kind === 'xml' && root === 'TestRun',
  open: (report) => readXml(report, ['TestRun'], new TrxHandler(report)),
};
