// `npm run soak`: the long campaigns with their full numbers. Each campaign is a list of units (a range of seeds, a file, a loop …).
//
//   --minutes N      stop after about N minutes; every campaign gets a share and goes on next time where it stopped
//   --only A,B       these campaigns alone
//   --seed S         begin seeded campaigns at this seed
//   --amount N       so many seeds in all
//   --list           print the campaigns with their full numbers and end
//
// It prints what was covered, the seeds, and the command that repeats a failure.

import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BUGS, checkBug, prepareCopy } from './seeded-bugs.mjs';
import { bin, collect, duration, installIfNeeded, root, run } from './tools.mjs';

const FIRST_SEED = 20_250_307;
const SHARDS = 12;
const CACHE = join(root, 'node_modules', '.cache', 'umpire');
const STATE = join(CACHE, 'soak.json');

/** A campaign over seeds: `full` of them, `batch` at a time. */
function seeded(name, what, files, full, batch) {
  return {
    name,
    units: ({ seed, amount }) => {
      const end = seed + (amount ?? full);
      return Array.from({ length: Math.ceil((end - seed) / batch) }, (_, at) => {
        const first = seed + at * batch;
        const count = Math.min(batch, end - first);
        return {
          id: `seeds ${first} to ${first + count - 1}`,
          covers: count,
          repeat: `npm run soak -- --only ${name} --seed ${first} --amount ${count}`,
          start: () => vitest(files, { UMPIRE_SEED: String(first), UMPIRE_AMOUNT: String(count) }),
        };
      });
    },
    what,
  };
}

/** A campaign whose units have names. */
function listed(name, what, units) {
  return {
    name,
    what,
    units: () => units().map((unit) => ({ covers: 1, repeat: `npm run soak -- --only ${name}`, ...unit })),
  };
}

/** Tests that run core and reports in their own process, where coverage is measured. */
const COVERING_TESTS = [
  ...[
    'core',
    'reports',
    'umpire/src/critics',
    'umpire/src/sessions',
    'umpire/src/views',
    'umpire/src/engine',
    'umpire/src/agents/script',
  ].map((folder) => `packages/${folder}`),
  ...['spec', 'decide', 'read', 'rules', 'replay', 'critique-design', 'corpus', 'check', 'own-loop', 'variants', 'headings'].map(
    (name) => `test/${name}`,
  ),
  ...['readers.fuzz', 'tasks.fuzz', 'tools.fuzz', 'more-tools.fuzz'].map((name) => `test/campaigns/${name}`),
];

const CAMPAIGNS = [
  seeded(
    'fuzz',
    'inputs a reader',
    [
      'test/campaigns/readers.fuzz',
      'test/campaigns/tools.fuzz',
      'test/campaigns/more-tools.fuzz',
      'test/campaigns/tasks.fuzz',
      'test/campaigns/guard.fuzz',
    ],
    100_000,
    4_000,
  ),
  seeded('simulations', 'simulated sessions', ['test/campaigns/simulation'], 10_000, 1_000),
  seeded('fleets', 'simulated fleets', ['test/campaigns/fleet.test'], 10_000, 500),
  listed('chaos', 'engines with 20 sessions under fire', () =>
    ['postgres', 'restate'].map((engine) => ({
      id: engine,
      repeat: `npm run chaos -- --engine ${engine} --sessions 20 --seconds 60`,
      start: () => vitest(['test/campaigns/chaos.test'], { UMPIRE_CHAOS_ENGINE: engine }),
    })),
  ),
  seeded('kills', 'real kills', ['test/campaigns/kill.test'], 398, 20),
  seeded('journals', 'torn or flipped journals', ['test/campaigns/torn-journals'], 6_000, 3_000),
  seeded('http', 'hostile HTTP requests', ['test/campaigns/http-attacks'], 249, 249),
  seeded('pages', 'hostile pages', ['test/campaigns/hostile-pages'], 35, 35),
  seeded('messages', 'hostile MCP and hook messages', ['test/campaigns/messages'], 300, 300),
  seeded('agents', 'hostile agents', ['test/campaigns/hostile-agents'], 92, 23),
  seeded('adversary', 'stories a loop', ['test/campaigns/adversary'], 200, 20),
  seeded('proof', 'random facts a loop', ['packages/core/src/proof/space.test'], 3_000, 300),
  listed('crashes', 'files: faults at every write, power loss, kills of git, damaged journals', () =>
    ['crash', 'power-loss', 'workspace-kills', 'journal-damage'].map((name) => ({
      id: name,
      start: () => vitest([`test/campaigns/${name}.test`]),
    })),
  ),
  listed('mutation', 'loops whose file is changed in every place', () =>
    ['design', 'testing', 'debt', 'review', 'brainstorm', 'until'].map((loop) => ({
      id: loop,
      start: () => vitest(['test/campaigns/mutation'], {}, ['-t', `${loop}: is noticed`]),
    })),
  ),
  listed('guard', 'sets of labelled changes', () => [
    { id: 'all labelled cases', start: () => vitest(['packages/guard/src', 'test/guard-']) },
  ]),
  listed('python', 'comparisons of Python syntax with CPython', () => [
    { id: 'every installed file', start: () => vitest(['test/python-syntax']) },
  ]),
  listed('coverage', 'coverage floors', () => [
    { id: 'core and reports', start: () => vitest(COVERING_TESTS, {}, ['--coverage'], process.execPath, '0') },
  ]),
  listed('bugs', 'seeded bugs that the fast tests must notice', () =>
    BUGS.map((bug) => ({
      id: bug.area,
      start: () => {
        prepareCopy();
        return checkBug(bug);
      },
    })),
  ),
  listed('stories', 'files with stories too slow for npm test', () =>
    taggedFiles().map((file) => ({ id: file, start: () => vitest([file], {}, ['--tags-filter=soak']) })),
  ),
  listed('node', 'shares of the fast tests on Node 22, 24 and 26', () =>
    ['22', '24', '26'].flatMap((version) =>
      Array.from({ length: SHARDS }, (_, at) => ({
        id: `Node ${version}, share ${at + 1} of ${SHARDS}`,
        start: () => fastTestsOn(version, `${at + 1}/${SHARDS}`),
      })),
    ),
  ),
];

function vitest(files, env = {}, args = [], node = process.execPath, isSoak = '1') {
  return collect(node, [bin('vitest'), 'run', '--reporter=default', ...files, ...args], {
    env: { ...process.env, UMPIRE_SOAK: isSoak, ...env },
  });
}

function taggedFiles() {
  return ['test', 'packages'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true })
      .filter((name) => /^(?!.*node_modules).*\.test\.ts$/.test(name) && !name.startsWith('campaigns'))
      .map((name) => `${folder}/${name}`)
      .filter((file) => /\bSOAK\b/.test(readFileSync(join(root, file), 'utf8')))
      .toSorted(),
  );
}

/** Installs that Node from npm once, then runs a share of the fast tests on it. */
async function fastTestsOn(version, shard) {
  const folder = join(CACHE, `node-${version}`);
  const name = `node-linux-${process.arch}`;
  const node = join(folder, 'node_modules', name, 'bin', 'node');
  if (!existsSync(node)) {
    mkdirSync(folder, { recursive: true });
    const installed = await collect('npm', ['install', '--no-save', '--no-audit', '--no-fund', '--prefix', folder, `${name}@${version}`]);
    if (installed.status !== 0) return installed;
  }
  return vitest([], {}, [`--shard=${shard}`], node, '0');
}

const { values } = parseArgs({
  options: {
    minutes: { type: 'string' },
    only: { type: 'string' },
    seed: { type: 'string' },
    amount: { type: 'string' },
    list: { type: 'boolean', default: false },
  },
});
const only = values.only?.split(',');
const chosen = CAMPAIGNS.filter(({ name }) => only === undefined || only.includes(name));
const unknown = only?.find((name) => !CAMPAIGNS.some((campaign) => campaign.name === name));
if (unknown !== undefined || Number.isNaN(Number(values.minutes ?? 1))) {
  process.stderr.write(`Unknown campaign or minutes. The campaigns: ${CAMPAIGNS.map(({ name }) => name).join(', ')}.\n`);
  process.exit(2);
}
if (values.list) {
  process.stdout.write(chosen.map((campaign) => `${campaign.name.padEnd(12)} ${countOf(unitsOf(campaign))} ${campaign.what}\n`).join(''));
  process.exit(0);
}

const startedAt = performance.now();
installIfNeeded();
mkdirSync(CACHE, { recursive: true });
run(process.execPath, [join(root, 'scripts', 'build.mjs')]);

const isShared = values.minutes !== undefined;
const deadline = startedAt + Number(values.minutes ?? 0) * 60_000;
const state = isShared && existsSync(STATE) ? JSON.parse(readFileSync(STATE, 'utf8')) : {};
const rows = [];
let failed = false;
for (const [at, campaign] of chosen.entries()) {
  const left = chosen.length - at;
  rows.push(await runCampaign(campaign, isShared ? (deadline - performance.now()) / left : Infinity));
}
process.stdout.write(
  `\n${rows.join('\n')}\n\nnpm run soak took ${duration(performance.now() - startedAt)}${failed ? ' and failed' : ''}.\n`,
);
process.exitCode = failed ? 1 : 0;

function unitsOf({ units }) {
  return units({
    seed: Number(values.seed ?? FIRST_SEED),
    amount: values.amount === undefined ? undefined : Number(values.amount),
  });
}

function countOf(units) {
  return units.reduce((sum, { covers }) => sum + covers, 0);
}

/** Runs units until the share is used up, at least one. Goes on after the last of an earlier run, and begins again after the final one. */
async function runCampaign(campaign, shareMs) {
  const { name, what } = campaign;
  const all = unitsOf(campaign);
  const first = values.seed === undefined ? (state[name] ?? 0) % all.length : 0;
  const began = performance.now();
  const done = [];
  let longest = 0;
  let isOver = false;
  for (let at = first; at < all.length && !isOver; at++) {
    const unit = all[at];
    const unitBegan = performance.now();
    const { status, output } = await unit.start();
    longest = Math.max(longest, performance.now() - unitBegan);
    if (status !== 0) {
      failed = true;
      process.stdout.write(`\n${name}, ${unit.id} failed. Repeat it with: ${unit.repeat}\n${output}\n`);
      return `${name.padEnd(12)} FAILED at ${unit.id}. Repeat it with: ${unit.repeat}`;
    }
    process.stderr.write(`${name}: ${unit.id} passed (${duration(performance.now() - unitBegan)})\n`);
    done.push(unit);
    state[name] = at + 1;
    if (isShared) writeFileSync(STATE, JSON.stringify(state));
    isOver = performance.now() - began + longest > shareMs;
  }
  const range = done.length > 1 ? `${done[0].id} … ${done.at(-1).id}` : (done[0]?.id ?? 'nothing');
  const next = all[first + done.length]?.id ?? all[0].id;
  return `${name.padEnd(12)} ${countOf(done)} of ${countOf(all)} ${what}: ${range}. Next: ${next}. ${duration(performance.now() - began)}.`;
}
