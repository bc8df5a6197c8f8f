// The other half of the readers of tool reports.

import { afterAll, test } from 'vitest';
import { FORMATS } from '@umpire/reports/formats.js';
import { openReport } from '@umpire/reports/open-report.js';
import { OPTIONS, fuzz, times } from '../support/report-fuzz.js';
import { REPORT_SEEDS } from '../support/report-seeds.js';

test.each(FORMATS.filter((_, index) => index % 2 === 1))(
  'survives mutated reports of $id',
  (format) => fuzz(format.id, REPORT_SEEDS[format.id] ?? [], () => openReport({ ...OPTIONS, format })),
  900_000,
);

afterAll(() => {
  console.info(times.join('\n'));
});
