// The tasks of a session, one column for each wave.

import type { SessionAnswer } from '@umpire/umpire/doors/http/answers.js';
import type { TaskRun } from '@umpire/umpire/views/session-history.js';
import type { TaskView } from '@umpire/umpire/views/session-view.js';
import { Markdown, writeCount, writeDuration, Fold, address } from './parts.js';

/** In a longer wave, idle tasks are only counted. */
const MOST_DRAWN = 200;
const MOST_FILES = 50;
const MOST_NAMED = 6;
const IDLE: ReadonlySet<string> = new Set(['pending', 'completed', 'skipped']);

export function Tasks({ session }: { readonly session: SessionAnswer }) {
  const { tasks } = session;
  if (tasks.length === 0) return <p class="quiet">No tasks.</p>;
  const waves = [...new Set(tasks.map(({ wave }) => wave))].toSorted((a, b) => a - b);
  return (
    <div class="waves" tabIndex={0} role="group" aria-label="Waves">
      {waves.map((wave) => (
        <Wave key={wave} session={session} wave={wave} tasks={tasks.filter((task) => task.wave === wave)} />
      ))}
    </div>
  );
}

interface WaveProps {
  readonly session: SessionAnswer;
  readonly wave: number;
  readonly tasks: readonly TaskView[];
}

function Wave({ session, wave, tasks }: WaveProps) {
  const busy = tasks.filter(({ status }) => !IDLE.has(status));
  const drawn = tasks.length <= MOST_DRAWN ? tasks : busy.slice(0, MOST_DRAWN);
  const left = tasks.length - drawn.length;
  const done = tasks.filter(({ status }) => status === 'completed').length;
  const isNow = wave === session.wave;
  return (
    <section class={`wave${isNow ? ' now' : ''}`} aria-label={`Wave ${wave}`}>
      <h2>
        Wave {wave}{' '}
        <span class="quiet">
          {done} of {tasks.length} done{isNow ? ', now' : ''}
        </span>
      </h2>
      {drawn.map((task) => (
        <Task key={task.id} session={session} task={task} />
      ))}
      {left > 0 ? <p class="quiet">and {writeCount(left, 'task')} more</p> : null}
    </section>
  );
}

function Task({ session, task }: { readonly session: SessionAnswer; readonly task: TaskView }) {
  const { id, role, title, status, round, verdict, attempt, waitsFor, findings, error, files } = task;
  const more = waitsFor.length - MOST_NAMED;
  const marks = [
    round === null ? '' : `round ${round}`,
    verdict === null ? '' : `${verdict.decision} (${verdict.rule})${verdict.unverified ? ', unverified' : ''}`,
    attempt > 1 ? `attempt ${attempt}` : '',
    waitsFor.length > 0 ? `waits for ${waitsFor.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}` : '',
  ].filter((word) => word !== '');
  const head = (
    <>
      <span class={`mark ${status}`}>{status}</span>
      <strong>{id}</strong>
      <span class="quiet">{role}</span>
      <span class="title">{title}</span>
      {marks.length === 0 ? null : <span class="quiet">{marks.join(' · ')}</span>}
    </>
  );
  return (
    <Fold class={`task ${status}`} head={head}>
      {error === '' ? null : <p class="bad">{error}</p>}
      {findings === '' ? null : <Markdown text={findings} />}
      <Runs runs={session.runs[id] ?? []} />
      {files.length === 0 ? null : (
        <ul class="plain">
          {files.slice(0, MOST_FILES).map((file) => (
            <li key={file}>
              <code>{file}</code>
            </li>
          ))}
        </ul>
      )}
      <Outputs session={session} task={id} />
    </Fold>
  );
}

function Runs({ runs }: { readonly runs: readonly TaskRun[] }) {
  if (runs.length === 0) return null;
  const lines = runs.flatMap(({ attempt, agent, ending, ms, tokens, costUsd, retrial }) => {
    const words = [
      agent,
      ending,
      ms === null ? '' : writeDuration(ms),
      tokens > 0 ? writeCount(tokens, 'token') : '',
      costUsd > 0 ? `$${costUsd.toFixed(2)}` : '',
    ];
    return [
      `attempt ${attempt}: ${words.filter((word) => word !== '').join(', ')}`,
      ...retrial.map((line) => `retrial of attempt ${attempt}: ${line}`),
    ];
  });
  return (
    <ul class="plain">
      {lines.map((line) => (
        <li key={line} class="quiet">
          {line}
        </li>
      ))}
    </ul>
  );
}

function Outputs({ session: { id, logs, runs }, task }: { readonly session: SessionAnswer; readonly task: string }) {
  const own = logs.filter((log) => log.task === task);
  if (own.length === 0 || runs[task] === undefined) return null;
  return (
    <p class="links">
      {own.map(({ name, attempt }) => (
        <a key={name} href={address(id, 'output', name)}>
          output of attempt {attempt}
        </a>
      ))}
    </p>
  );
}
