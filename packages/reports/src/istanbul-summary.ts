// Istanbul's coverage-summary.json: shares by file and in total. Where the total and the files disagree, the files hold.

import type { Coverage, Share } from '@umpire/core/model.js';
import { isObject, nameOf, own } from '@umpire/core/formats/json-text.js';
import type { Format, ReportReader } from './format.js';
import { jsonReader } from './json-reader.js';
import { countIn } from '@umpire/core/formats/json-values.js';
import { placeInProject } from './places.js';
import { CoverageSums, shareOf } from './share.js';
import { Sheet } from './sheet.js';

const KINDS = ['lines', 'branches', 'statements', 'functions'] as const;

export const istanbulSummary: Format = {
  id: 'istanbul-summary',
  title: 'Istanbul coverage-summary.json',
  recognises: ({ kind, isArray, keys, text, name }) =>
    kind === 'json' &&
    !isArray &&
    ((text.includes('"pct"') && text.includes('"covered"') && (keys.has('total') || text.includes('"statements"'))) ||
      (name === 'coverage-summary.json' && keys.size === 0)),
  open: ({ root, ...options }): ReportReader => {
    const sheet = new Sheet('istanbul-summary', 'coverage', options);
    const sums = new CoverageSums();
    let total: Coverage | null = null;
    let files = 0;
    const take = (value: unknown, key: string): void => {
      const shares = sharesOf(sheet, value, key);
      if (key === 'total') total = shares;
      else {
        files += 1;
        sums.add(shares, 1);
        sheet.file({ path: placeInProject(key, root) ?? 'a file without a name', ...shares, uncovered: [] });
      }
    };
    return jsonReader(sheet, () => ({
      picks: { '': (value) => sheet.fail(`it is ${nameOf(value)}; expected an object with "total" and a member for each file`), '*': take },
      unit: 'file',
      count: () => files,
      finish: (isWhole) => {
        if (total === null || !isWhole) return;
        if (files > 0) holdTotal(sheet, total, sums.coverage());
        else {
          sheet.note('it has a total and no files; the total is taken as it is');
          sheet.file({ path: 'total', ...total, uncovered: [] });
        }
      },
    }));
  },
};

function sharesOf(sheet: Sheet, value: unknown, key: string): Coverage {
  if (!isObject(value)) {
    sheet.fail(`the coverage of "${key.slice(0, 200)}" is ${nameOf(value)}; expected an object`);
    return {};
  }
  const shares: { -readonly [Kind in keyof Coverage]: Share } = {};
  for (const kind of KINDS) {
    const share = own(value, kind);
    if (share === undefined || share === null) continue;
    const [covered, total] = [countIn(share, 'covered'), countIn(share, 'total')];
    if (covered === null || total === null || covered > total)
      sheet.fail(`"${kind}" of "${key.slice(0, 200)}" is no share; expected "covered" and "total", the first not above the second`);
    else shares[kind] = shareOf(covered, total);
  }
  return shares;
}

function holdTotal(sheet: Sheet, total: Coverage, sums: Coverage): void {
  for (const kind of KINDS) {
    const [stated, found] = [total[kind], sums[kind]];
    if (stated === undefined || found === undefined || (stated.covered === found.covered && stated.total === found.total)) continue;
    sheet.note(
      `its total says ${stated.covered} of ${stated.total} ${kind}, its files together ${found.covered} of ${found.total}; the files hold`,
    );
  }
}
