// A further agent is one file and one line of the registry. The file exists only in this test, which bundles the program with it.

import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { newFolder } from '../../../../../test/support/assignment.js';
import type { judgeFileTest } from '../../engine/judge-files.js';
import type { helpText } from '../../doors/cli/help.js';
import { writeAgentHooks } from '../../doors/agent-hooks.js';
import type { EventStream } from '../event-stream.js';
import type { classifyFailure } from '../failure-cause.js';
import type * as registry from './known-agents.js';

const FILE = `// Aider.

import { getText } from '@umpire/core/formats/agent-event.js';
import { describeRules, joinPrompt, option } from './known-agent.js';
import type { KnownAgent } from './known-agent.js';

export const aider: KnownAgent = {
  name: 'aider',
  program: 'aider',
  plan: ({ prompt, conversation }) => ({ args: ['--yes', ...option('--restore', conversation)], message: joinPrompt(prompt) }),
  reportsCost: true,
  describePermissions: describeRules,
  acp: { argv: () => ['aider', 'acp'], reportsCost: true },
  events: { 'aider.said': (event) => ({ kind: 'said', text: getText(event, 'text') ?? '' }) },
  conversationMember: 'aider_chat',
  failures: { passing: [/\\bthe aider is tired\\b/i] },
  listState: (home) => [{ place: home.locate('AIDER_HOME', '.aider'), login: 'keys.json' }],
  provider: { fleet: 'aider-models', telemetry: 'aider' },
  steeredBy: ['.aider.conf*.yml', '.aider/hooks/'],
  hooks: {
    files: [{ path: '.aider/settings.json', form: 'json', hooks: 'hooks/hooks.json', servers: 'mcp' }],
    next: 'Start aider in the project.',
    events: { AiderStop: 'stop' },
  },
};
`;

interface Program {
  readonly helpText: typeof helpText;
  readonly judgeFileTest: typeof judgeFileTest;
  readonly EventStream: typeof EventStream;
  readonly classifyFailure: typeof classifyFailure;
  readonly registry: typeof registry;
}

/** The program with `known/aider.ts` and the registry that lists it. */
async function programWithAider(): Promise<Program> {
  const line = 'export const KNOWN_AGENTS: readonly KnownAgent[] = [';
  const outfile = join(newFolder(), 'program.mjs');
  await build({
    stdin: {
      contents: `export { helpText } from '../../doors/cli/help.js';
export { judgeFileTest } from '../../engine/judge-files.js';
export { EventStream } from '../event-stream.js';
export { classifyFailure } from '../failure-cause.js';
export * as registry from './known-agents.js';`,
      resolveDir: import.meta.dirname,
      loader: 'ts',
    },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['oxc-parser'],
    logLevel: 'error',
    plugins: [
      {
        name: 'aider',
        setup: (builder) => {
          builder.onResolve({ filter: /\/aider\.js$/ }, () => ({ path: join(import.meta.dirname, 'aider.ts') }));
          builder.onLoad({ filter: /\/aider\.ts$/ }, () => ({ contents: FILE, loader: 'ts' }));
          builder.onLoad({ filter: /\/known-agents\.ts$/ }, ({ path }) => {
            const text = readFileSync(path, 'utf8');
            expect(text).toContain(line);
            return { contents: `import { aider } from './aider.js';\n${text.replace(line, `${line}aider, `)}`, loader: 'ts' };
          });
        },
      },
    ],
  });
  return (await import(outfile)) as Program;
}

it('is known everywhere by its own file and one line of the registry', async () => {
  const { helpText, registry: known, ...program } = await programWithAider();
  expect([helpText('run'), helpText('init')].map((page) => page.includes('aider'))).toEqual([true, true]);
  expect(known.PRESET_NAMES).toEqual(expect.arrayContaining(['aider', 'aider-acp']));
  const { agent } = known.findKnownAgent('aider-acp')!;
  expect(agent.acp.argv('/s')).toEqual(['aider', 'acp']);

  const events = new program.EventStream();
  events.write(Buffer.from('{"type":"aider.said","text":"Done.","aider_chat":"c1"}\n'));
  expect(events.end()).toMatchObject({ text: 'Done.', conversation: 'c1' });
  expect(program.classifyFailure({ words: 'The aider is tired', status: null, afterMs: null })).toBe('passing');
  expect(known.findAgentState('/usr/bin/aider', {}, '/home/me')).toEqual([{ place: '/home/me/.aider', login: 'keys.json' }]);

  const isJudgeFile = program.judgeFileTest({ project: '/p', loop: 'review', loopFolder: null });
  expect(['.aider.conf.local.yml', '.aider/hooks/a.sh', '.aider', '.aider/notes.md'].map(isJudgeFile)).toEqual([true, true, true, false]);
  expect([known.TELEMETRY_PROVIDERS.get('aider'), known.HOOK_EVENTS.get('AiderStop')]).toEqual(['aider', 'stop']);

  const project = newFolder();
  mkdirSync(join(project, '.git'));
  const { files, next } = writeAgentHooks({ agent, project, dryRun: true });
  expect(files.map(({ path, state }) => [path, state])).toEqual([['.aider/settings.json', 'new']]);
  expect(next.at(-1)).toBe('Start aider in the project.');
  expect(FILE.split('\n').length).toBeLessThan(60);
});
