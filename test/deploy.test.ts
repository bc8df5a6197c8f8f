// The files of deploy/ follow their published schemas, and their commands run as local processes: the same arguments and environment, with
// loopback in place of the servers. No container is built here.

import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Job } from 'kubernetes-models/batch/v1/Job';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { Secret } from 'kubernetes-models/v1/Secret';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { SOAK } from './support/campaign.js';
import { gitIn, writeFiles } from './support/git-project.js';
import { postgresPrograms, startPostgres } from './support/postgres-server.js';
import type { PostgresServer } from './support/postgres-server.js';
import { cleanUpProjects, makeProject } from './support/run-project.js';
import type { RunProject, Running } from './support/run-project.js';

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const programs = postgresPrograms();
cleanUpProjects();

/** A container as a process: its arguments and its environment. */
interface Unit {
  readonly name: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

interface Fleet {
  readonly init: Unit;
  readonly conductor: Unit;
  readonly workers: readonly Unit[];
}

interface ComposeFile {
  readonly services: Readonly<
    Record<
      string,
      { readonly command?: readonly string[]; readonly environment?: Readonly<Record<string, string>>; readonly restart?: string }
    >
  >;
}

/** As Compose reads it, where these variables are set. */
function composeFleet(variables: Readonly<Record<string, string>>): Fleet {
  const text = read('deploy/compose.yaml').replace(
    /\$\{(\w+)(?::[-?]([^}]*))?\}/g,
    (_, name: string, fallback = '') => variables[name] ?? fallback,
  );
  const { services } = parse(text, { merge: true }) as ComposeFile;
  const unit = (name: string): Unit => ({ name, args: services[name]?.command ?? [], env: services[name]?.environment ?? {} });
  const workers = Object.keys(services).filter((name) => name.startsWith('worker-'));
  return { init: unit('init'), conductor: unit('conductor'), workers: workers.map(unit) };
}

interface Manifest {
  readonly kind: 'Secret' | 'Job' | 'Deployment';
  readonly metadata: { readonly name: string };
  readonly stringData?: Readonly<Record<string, string>>;
  readonly spec?: {
    readonly replicas?: number;
    readonly template: {
      readonly spec: {
        readonly containers: readonly {
          readonly args: readonly string[];
          readonly env?: readonly { readonly name: string }[];
          readonly envFrom: readonly { readonly secretRef: { readonly name: string } }[];
        }[];
      };
    };
  };
}

const manifests = (): readonly Manifest[] => parseAllDocuments(read('deploy/kubernetes.yaml')).map((one) => one.toJS() as Manifest);

/** As Kubernetes starts the pods, where these values of Secrets are filled in. */
function kubernetesFleet(filledIn: Readonly<Record<string, string>>): Fleet {
  const all = manifests();
  const secret = (name: string) => all.find(({ kind, metadata }) => kind === 'Secret' && metadata.name === name)?.stringData ?? {};
  const unitsOf = (name: string): readonly Unit[] => {
    const spec = all.find(({ kind, metadata }) => kind !== 'Secret' && metadata.name === name)?.spec;
    const container = spec?.template.spec.containers[0] ?? expect.fail(`No container in ${name}.`);
    return Array.from({ length: spec?.replicas ?? 1 }, (_, at) => {
      const pod = `${name}-${at}`;
      const fields = Object.fromEntries((container.env ?? []).map((one) => [one.name, pod]));
      const secrets = Object.assign({}, ...container.envFrom.map(({ secretRef }) => secret(secretRef.name))) as Record<string, string>;
      const env = { ...secrets, ...filledIn, ...fields };
      return { name: pod, args: container.args.map((arg) => arg.replace(/\$\((\w+)\)/g, (__, name: string) => env[name] ?? '')), env };
    });
  };
  const [init, conductor] = ['umpire-init', 'umpire-conductor'].flatMap(unitsOf);
  return { init: init as Unit, conductor: conductor as Unit, workers: unitsOf('umpire-worker') };
}

describe('deploy/', () => {
  it('has a compose.yaml that follows the Compose Specification', () => {
    const { status, stdout } = dclint(join(root, 'deploy', 'compose.yaml'));
    expect({ status, stdout: stdout.trim() }).toEqual({ status: 0, stdout: '' });
    const project = makeProject({ files: { 'compose.yaml': read('deploy/compose.yaml').replace('restart:', 'restarts:') }, plain: true });
    expect(dclint(join(project.root, 'compose.yaml'))).toMatchObject({ status: 1, stdout: expect.stringContaining('invalid-schema') });
  });

  it('has a kubernetes.yaml that follows the schemas of Kubernetes, and no field that they do not know', () => {
    const models = { Secret, Job, Deployment };
    for (const manifest of manifests()) new models[manifest.kind](manifest as never).validate();
    expect(typesOf(manifests())).toBe('');
    const wrong = JSON.stringify(manifests()).replaceAll('readOnlyRootFilesystem', 'readonlyRootFilesystem');
    expect(typesOf(JSON.parse(wrong) as readonly Manifest[])).toContain(`'"readonlyRootFilesystem"' does not exist`);
  });

  it('has a Dockerfile whose files, commands and versions are those of the project', () => {
    const text = read('deploy/Dockerfile');
    const { devDependencies, scripts } = JSON.parse(read('package.json')) as Record<string, Record<string, string>>;
    const agents = JSON.parse(read('test/agents/package.json')) as { dependencies: Record<string, string> };
    const copied = [...text.matchAll(/^COPY (?!--from)(\S+) /gm)].map(([, path = '']) => path);
    expect(copied.length).toBeGreaterThan(0);
    expect(copied.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    expect(scripts?.['prepack']).toBe('node scripts/build.mjs');
    expect(text).toContain(` pg@${devDependencies?.['pg'] ?? ''} `);
    expect(text).toContain(`AGENTS=@anthropic-ai/claude-code@${agents.dependencies['@anthropic-ai/claude-code'] ?? ''}\n`);
    const bases = [...text.matchAll(/^FROM (\S+)/gm)].map(([, base = '']) => base);
    expect(bases.filter((base) => !/^node:\d+\.\d+\.\d+-[a-z-]+$/.test(base))).toEqual([]);
    expect(text).toContain('ENTRYPOINT ["umpire"]');
  });
});

function dclint(path: string) {
  const program = join(root, 'node_modules', 'dclint', 'bin', 'dclint.cjs');
  return spawnSync(process.execPath, [program, '--quiet', path], { encoding: 'utf8' });
}

/** What the compiler says of the manifests as values of the types that are made from the OpenAPI document. */
function typesOf(all: readonly Manifest[]): string {
  const { root: folder } = makeProject({ plain: true });
  const types =
    "import type { IDeployment } from 'kubernetes-models/apps/v1/Deployment';\nimport type { IJob } from 'kubernetes-models/batch/v1/Job';\nimport type { ISecret } from 'kubernetes-models/v1/Secret';\n";
  const values = all.map((manifest, at) => `export const m${at}: I${manifest.kind} = ${JSON.stringify(manifest)};\n`);
  const compilerOptions = { types: [], noEmit: true, skipLibCheck: true };
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir');
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'manifests.ts'), types + values.join(''));
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions, include: [], files: ['manifests.ts'] }),
  );
  return spawnSync(process.execPath, [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', folder], { encoding: 'utf8' }).stdout;
}

const PATIENCE = { timeout: 60_000, interval: 100 };

describe.skipIf(programs === null)(`a fleet by deploy/${programs === null ? ' (skipped: PostgreSQL is not installed)' : ''}`, () => {
  let server: PostgresServer | null = null;
  let running: Running[] = [];

  afterEach(async () => {
    for (const { child } of running) child.kill('SIGKILL');
    await Promise.all(running.map(({ ended }) => ended));
    running = [];
    await server?.stop();
  });

  it('runs a session to its end by the commands of compose.yaml, also when a worker is stopped', { ...SOAK, timeout: 120_000 }, () =>
    runSession(composeFleet),
  );

  it('runs a session to its end by the commands of kubernetes.yaml', { timeout: 120_000, ...SOAK }, () => runSession(kubernetesFleet));

  async function runSession(fleetOf: (variables: Readonly<Record<string, string>>) => Fleet): Promise<void> {
    server = await startPostgres(programs ?? '');
    const { port } = server;
    const project = makeProject({ files: { 'check.mjs': CHECK, 'value.txt': 'bad\n' } });
    const remote = join(project.beside, 'remote.git');
    writeFiles(project.beside, { 'agent.mjs': AGENT });
    gitIn(project.beside, 'clone', '-q', '--bare', project.root, remote);
    gitIn(project.root, 'remote', 'add', 'origin', remote);
    const { init, conductor, workers } = fleetOf({ UMPIRE_REMOTE: remote });
    await server.sql('postgres', 'create role umpire login createrole');
    await server.sql('postgres', 'create database umpire owner umpire');
    const roles = ['-v', 'ON_ERROR_STOP=1', '-qf', join(root, 'deploy', 'roles.sql'), server.url('umpire', 'umpire')];
    await promisify(execFile)(join(programs ?? '', 'psql'), roles, { env: { ...process.env, WORKER_PASSWORD: 'development' } });

    const start = (unit: Unit): Running => {
      const started = project.startWith(machineOf(project, unit, port), ...unit.args);
      running.push(started);
      return started;
    };
    expect(await start(init).ended).toMatchObject({ exit: 0 });
    await start(conductor).says('Taking the turns of sessions');
    const machines = workers.map((unit) => ({ unit, process: start(unit) }));
    expect(machines).toHaveLength(2);
    await Promise.all(machines.map(({ process: one }) => one.says('2 slots, labels claude')));

    const person = { env: machineOf(project, init, port).env };
    const command = `node ${join(project.beside, 'agent.mjs')}`;
    const asked = project.umpireWith(person, 'until', 'node check.mjs', 'make it good', '--agent-command', command);
    const begun = join(project.beside, 'begun');
    await vi.waitFor(() => expect(readFileSync(begun, 'utf8')).toContain('1 '), PATIENCE);
    const users = await server.sql('umpire', `select distinct usename from pg_stat_activity where application_name = 'umpire' order by 1`);
    expect(users.map(({ usename }) => usename)).toEqual(['umpire', 'worker']);

    const first = machines.find(({ unit }) => readFileSync(begun, 'utf8').includes(unit.name)) ?? expect.fail('No worker began.');
    first.process.child.kill('SIGTERM');
    expect(await first.process.ended).toMatchObject({ exit: 130 });
    expect(await asked).toMatchObject({ exit: 0 });
    const other = machines.find((one) => one !== first);
    expect(readFileSync(begun, 'utf8')).toMatch(new RegExp(`^1 ${first.unit.name}\\n\\d ${other?.unit.name ?? ''}\\n$`));
    expect(gitIn(remote, 'for-each-ref', '--format=%(refname)', 'refs/heads/umpire')).toMatch(/^refs\/heads\/umpire\/until-make-it-good/);
  }
});

/** A machine of its own: a home, and the addresses of servers on loopback. */
function machineOf(project: RunProject, { name, env }: Unit, port: number) {
  const home = join(project.beside, name);
  mkdirSync(home, { recursive: true });
  const engine = new URL(env['UMPIRE_ENGINE'] ?? '');
  engine.host = `127.0.0.1:${port}`;
  return { cwd: project.root, env: { ...env, UMPIRE_ENGINE: engine.href, HOME: home, UMPIRE_WORKTREES: '', XDG_STATE_HOME: '' } };
}

const CHECK = `import { readFileSync } from 'node:fs';
if (readFileSync('value.txt', 'utf8') !== 'good\\n') { console.error('value.txt is not good'); process.exit(1); }
`;

/** The first attempt waits until its worker is stopped. */
const AGENT = `import { appendFileSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
const { id, attempt } = JSON.parse(readFileSync(process.env.UMPIRE_TASK_FILE, 'utf8'));
appendFileSync(join(import.meta.dirname, 'begun'), attempt + ' ' + basename(process.env.HOME) + '\\n');
if (attempt === 1) setInterval(() => undefined, 60_000);
else {
  writeFileSync('value.txt', 'good\\n');
  console.log(JSON.stringify({ id, status: 'completed', findings: 'ok' }));
}
`;
