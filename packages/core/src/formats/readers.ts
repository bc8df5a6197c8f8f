// All readers, by the name that loop files use.

import { readAudit } from './audit-report.js';
import { readCommandResult } from './command-result.js';
import { readCritique, readCritiqueEntries, readSeveritySummary } from './critique.js';
import { readEntries } from './discoveries.js';
import { readFindingsCell } from './findings-cell.js';
import { readJson, readMarkdown, readText } from './generic-readers.js';
import type { Reader } from './reader.js';
import { readReview } from './review-results.js';
import { readRun } from './run-result.js';
import { readValidation } from './validation-report.js';

export const READERS: Readonly<Record<string, Reader>> = {
  audit: readAudit,
  'review-json': readReview,
  'validation-json': readValidation,
  'run-json': readRun,
  critique: readCritique,
  'critique-entries': readCritiqueEntries,
  'severity-summary': readSeveritySummary,
  'findings-cell': readFindingsCell,
  entries: readEntries,
  json: readJson,
  markdown: readMarkdown,
  text: readText,
  'command-result': readCommandResult,
};
