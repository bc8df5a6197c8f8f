// The agent that is a program (SPEC section 7): prompt on stdin, places in the environment, result in a file or on stdout.
// No shell parses anything.

import type { Agent, Watch } from '@umpire/core/ports.js';
import { EventStream } from './event-stream.js';
import type { Told } from './event-stream.js';
import type { Guardian } from './guardian.js';
import { showLine } from './hidden-text.js';
import { programAgent } from './program.js';
import type { ProgramSpec } from './program.js';
import { promptFor } from './prompt.js';

export interface CommandSpec extends ProgramSpec {
  /** How it is asked to finish; null: it cannot be asked. */
  readonly finish?: 'SIGINT' | 'SIGTERM' | null;
  /** It tells of its run in events on stdout (event-stream.ts). */
  readonly events?: true;
}

export function commandAgent(spec: CommandSpec, guardian: Guardian): Agent {
  const { finish = 'SIGTERM' } = spec;
  return programAgent(spec, guardian, (assignment, slot, watch) => {
    const events = spec.events === true ? new EventStream() : null;
    return {
      input: promptFor(assignment, slot),
      finish,
      watch: events === null ? watch : heardBy(events, watch),
      handed: ({ code, signal, stopped }) => {
        const told = events?.end() ?? null;
        return { exit: { code, signal }, told, isOrderly: stopped?.how === 'asked' && code === 0, ...noteOn(told) };
      },
    };
  });
}

/** An agent that could not do its task may have been kept from it. */
function noteOn(told: Told | null): { readonly note?: string } {
  if (told?.refused === undefined) return {};
  const what = JSON.stringify(showLine(told.refused, 200));
  return { note: `Its own settings did not let it use ${what}: allow that there (docs/agents.md, "Presets").` };
}

function heardBy(events: EventStream, { signal, log }: Watch): Watch {
  return {
    signal,
    log: (stream, chunk) => {
      log(stream, chunk);
      if (stream === 'stdout') events.write(chunk);
    },
  };
}
