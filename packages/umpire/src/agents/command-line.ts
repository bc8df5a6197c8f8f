// Splits a command such as `--agent-command "CMD ARGS"` into words. No shell runs it.

import { splitWords } from '@umpire/core/formats/shell-text.js';
import { UmpireError } from '@umpire/core/model/errors.js';

/** Throws `agent-command-invalid` for an unclosed quote or an empty command. */
export function splitCommand(text: string): readonly string[] {
  const split = splitWords(text);
  if ('words' in split && (split.words[0] ?? '') !== '' && !text.includes('\0')) return split.words;
  const empty = text.includes('\0') ? 'it holds a zero byte' : 'it names no program';
  throw new UmpireError('agent-command-invalid', { command: text, detail: 'problem' in split ? split.problem : empty });
}
