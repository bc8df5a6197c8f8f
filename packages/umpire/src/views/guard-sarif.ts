// The guard's findings as SARIF 2.1.0, for code hosts and editors. Allowed findings are marked as suppressed.

import type { RetrialRecord } from '@umpire/core/decider/events.js';
import type { GuardAllowance } from '@umpire/guard/findings/allowances.js';
import { RULE_GROUPS } from '@umpire/guard/findings/rule-names.js';
import { RULE_WORDS } from '@umpire/guard/rules/all.js';
import type { GuardFinding } from '@umpire/guard/findings/finding.js';
import type { Severity } from '@umpire/core/model/vocabulary.js';
import { lineOf } from './safe-text.js';

export interface GuardLog {
  readonly findings: readonly GuardFinding[];
  readonly notes: readonly GuardFinding[];
  readonly allowed: readonly { readonly finding: GuardFinding; readonly allowance: GuardAllowance }[];
  readonly problems: readonly { readonly file: string; readonly message: string }[];
  readonly isBlind: boolean;
  readonly retrial?: RetrialRecord;
}

const LEVELS: Readonly<Record<Severity, string>> = { critical: 'error', high: 'error', medium: 'warning', low: 'note' };
const RULES = [...RULE_WORDS.values()];
const ORDER: ReadonlyMap<string, number> = new Map(RULES.map(({ name }, index) => [name, index]));

export function guardSarif({ findings, notes, allowed, problems, isBlind, retrial }: GuardLog, version: string): string {
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'umpire guard',
            version,
            rules: RULES.map(({ name, severity, message, honest }) => ({
              id: name,
              shortDescription: { text: message },
              help: { text: honest },
              defaultConfiguration: { level: LEVELS[severity] },
              properties: { tags: [RULE_GROUPS[name]] },
            })),
          },
        },
        columnKind: 'utf16CodeUnits',
        ...(retrial === undefined ? {} : { properties: { retrial } }),
        invocations: [
          {
            executionSuccessful: !isBlind,
            toolExecutionNotifications: problems.map(({ file, message }) => ({
              level: 'warning',
              message: { text: `${lineOf(file)}: ${lineOf(message, 300)}` },
            })),
          },
        ],
        results: [
          ...[...findings, ...notes].map(toSarifResult),
          ...allowed.map(({ finding, allowance }) => ({
            ...toSarifResult(finding),
            suppressions: [{ kind: 'external', status: 'accepted', justification: `${allowance.reason} (until ${allowance.until})` }],
          })),
        ],
      },
    ],
  };
  return `${JSON.stringify(log)}\n`;
}

function toSarifResult(finding: GuardFinding) {
  const { rule, level, severity, file, line, message, honest, before, after, test, fingerprint } = finding;
  return {
    ruleId: rule,
    ruleIndex: ORDER.get(rule) ?? -1,
    level: level === 'note' ? 'note' : LEVELS[severity],
    message: { text: `${message} ${honest}` },
    locations: [{ physicalLocation: { artifactLocation: { uri: encodeURI(file) }, region: { startLine: line } } }],
    partialFingerprints: { 'umpireGuard/v1': fingerprint },
    properties: {
      // SARIF levels have no `critical`.
      ...(severity === 'critical' ? { 'security-severity': '9.5' } : {}),
      ...(test === undefined ? {} : { test }),
      before: before?.text ?? null,
      after: after?.text ?? null,
    },
  };
}
