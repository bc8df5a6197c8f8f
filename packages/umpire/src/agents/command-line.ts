// Splits a command such as `--agent-command "CMD ARGS"` into words. Supports the quotes and backslashes of a shell; no variables, patterns
// or pipes.

import { UmpireError } from '@umpire/core/model/errors.js';

/** Throws `agent-command-invalid` for an unclosed quote or an empty command. */
export function splitCommand(text: string): readonly string[] {
  const words: string[] = [];
  let word: string | null = null;
  let quote = '';
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (quote === "'" && char !== "'") word += char;
    else if (char === '\\') {
      const next = text.charAt(at + 1);
      if (next === '') throw invalid(text, 'it ends in a backslash');
      // Inside double quotes a backslash escapes only a quote or a backslash.
      const keeps = quote === '"' && next !== '"' && next !== '\\';
      word = (word ?? '') + (keeps ? char : '') + next;
      at += 1;
    } else if (quote === '' && (char === '"' || char === "'")) {
      quote = char;
      word ??= '';
    } else if (char === quote) quote = '';
    else if (quote === '' && /\s/.test(char)) {
      if (word !== null) words.push(word);
      word = null;
    } else word = (word ?? '') + char;
  }
  if (quote !== '') throw invalid(text, `a ${quote === '"' ? 'double' : 'single'} quote is never closed`);
  if (word !== null) words.push(word);
  if ((words[0] ?? '') === '') throw invalid(text, 'it names no program');
  if (text.includes('\0')) throw invalid(text, 'it holds a zero byte');
  return words;
}

function invalid(text: string, detail: string): UmpireError {
  return new UmpireError('agent-command-invalid', { command: text, detail });
}
