// Pylint's JSON, both of its reporters: a list of messages (`json`), or an object that also says how many modules were looked at
// (`json2`). What Pylint could not look at, or a plugin that it could not load, leaves the report unread: its silence proves nothing.

import type { Severity } from '@umpire/core/model.js';
import { isObject, nameOf } from '@umpire/core/formats/json-text.js';
import type { JsonObject } from '@umpire/core/formats/json-text.js';
import type { Format, ReportReader } from './format.js';
import { jsonReader } from './json-reader.js';
import { countIn, endLineIn, lineIn, textIn } from '@umpire/core/formats/json-values.js';
import { placeInProject } from './places.js';
import { unknownSeverityNote } from '@umpire/core/formats/severity.js';
import { Sheet } from './sheet.js';

const SEVERITY: Readonly<Record<string, Severity>> = {
  error: 'high',
  fatal: 'high',
  warning: 'medium',
  convention: 'low',
  refactor: 'low',
  info: 'low',
};

/** Of its settings, not of the code: what a plugin would have found is not known. */
const UNABLE: ReadonlySet<string> = new Set(['bad-plugin-value', 'config-parse-error']);

export const pylint: Format = {
  id: 'pylint',
  title: 'Pylint JSON',
  recognises: ({ kind, isArray, keys, text }) =>
    kind === 'json' &&
    (isArray
      ? keys.has('message-id') && keys.has('symbol')
      : keys.has('messages') && keys.has('statistics') && text.includes('"modulesLinted"')),
  open: ({ root, looked, ...options }): ReportReader => {
    const sheet = new Sheet('pylint', 'findings', options);
    let found = 0;
    let hasList = false;
    let modules: number | null = null;
    const take = (value: unknown): void => {
      found += 1;
      if (!isObject(value)) return sheet.fail(`a message is ${nameOf(value)}; expected an object`);
      const [type, symbol] = [textIn(value, 'type'), textIn(value, 'symbol')];
      if (type === '' && symbol === '') return sheet.fail(`entry ${found} has no "type" and no "symbol"; expected a message of Pylint`);
      const path = textIn(value, 'path');
      const artifact = path === '' ? null : placeInProject(path, root);
      const message = textIn(value, 'message');
      if (type === 'fatal' || UNABLE.has(symbol)) sheet.fail(`Pylint could not do its work: ${message} (${artifact ?? symbol})`);
      const severity = SEVERITY[type];
      if (severity === undefined) sheet.note(unknownSeverityNote(type || 'none'));
      const rule = symbol || idOf(value);
      sheet.finding({ severity: severity ?? 'high', message, artifact, line: lineIn(value, 'line'), endLine: endLineIn(value), rule });
    };
    const message = { value: take };
    const list = {
      open: () => {
        hasList = true;
      },
      value: (value: unknown) => sheet.fail(`"messages" is ${nameOf(value)}; expected a list`),
    };
    return jsonReader(sheet, () => ({
      picks: {
        '': {
          open: (container) => {
            hasList ||= container === 'list';
          },
          value: (value) => sheet.fail(`it is ${nameOf(value)}; expected a list of messages`),
        },
        '[]': message,
        messages: list,
        'messages[]': message,
        'statistics.modulesLinted': (value) => {
          modules = countIn({ value }, 'value');
        },
      },
      unit: 'message',
      count: () => found,
      finish: (isWhole) => {
        if (!isWhole) return;
        if (!hasList) sheet.fail('there is no list of messages in it');
        // A file that cannot be parsed is no module, and a message tells of it.
        if (modules !== null && modules + found > 0) looked?.count(Math.max(1, modules));
        else if (modules === 0) {
          looked?.count(0);
          sheet.fail('no file was checked: "modulesLinted" is 0');
        } else if (hasList && found === 0) sheet.fail('the list is empty, so there is no file in it that was checked');
      },
    }));
  },
};

function idOf(value: JsonObject): string {
  return textIn(value, 'message-id') || textIn(value, 'messageId');
}
