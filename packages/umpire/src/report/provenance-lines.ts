// What evidence is bound to, as lines of a session's report.

import type { Provenance, ToolUse } from '@umpire/core/formats/provenance.js';
import { millisecondsOf } from '@umpire/core/formats/timestamp.js';
import { codeSpan, inline } from './foreign-text.js';
import { UTC, count, duration } from './words.js';
import type { Clock } from './words.js';

const COMMAND_LENGTH = 160;
const MOST_TOOLS = 20;

export function provenanceLines({ commit, content, started, ended, tools }: Provenance, clock: Clock = UTC): readonly string[] {
  const where = commit === null ? 'no commit' : `commit ${inline(commit.slice(0, 12))}`;
  const changed = content === null ? '' : `, ${commit === null ? 'content' : 'with changes'} ${inline(content.slice(0, 12))}`;
  const more = tools.length - MOST_TOOLS;
  return [
    `  - Measured on ${where}${changed}, ${clock.moment(started)}${took(started, ended)}`,
    ...tools.slice(0, MOST_TOOLS).map((tool) => `  - ${toolWords(tool)}`),
    ...(more > 0 ? [`  - and ${count(more, 'run')} more`] : []),
  ];
}

function toolWords({ name, version, command, started, ended, exit_status, signal, timed_out }: ToolUse): string {
  const line = command.join(' ');
  const shown = line.length > COMMAND_LENGTH ? `${line.slice(0, COMMAND_LENGTH)}…` : line;
  const end = timed_out ? 'took too long' : exit_status === null ? `ended by ${signal ?? 'a signal'}` : `status ${exit_status}`;
  return `${inline(version === null ? name : `${name} ${version}`)}: ${codeSpan(shown)}, ${inline(end)}${took(started, ended)}`;
}

function took(started: string, ended: string): string {
  const from = millisecondsOf(started);
  const to = millisecondsOf(ended);
  return from > 0 && to >= from ? `, ${duration(to - from)}` : '';
}
