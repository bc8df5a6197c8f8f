// The open question of a session: why it asks, what helps to decide, and a button for each answer.

import { useRef, useState } from 'preact/hooks';
import type { AnswerRequest, SessionAnswer } from '@umpire/umpire/doors/http/answers.js';
import type { AnswerOption } from '@umpire/umpire/views/session-question.js';
import * as api from './api.js';
import { Findings, openVerdict } from './findings.js';
import { Markdown, writeCount, Command, EngineHint, Fold, Trouble } from './parts.js';
import { useLoaded } from './api.js';
import { Patch } from './patch.js';

interface QuestionProps {
  readonly session: SessionAnswer;
  readonly onActed: () => void;
}

type Said = { readonly words: string } | { readonly error: unknown } | null;

export function OpenQuestion({ session, onActed }: QuestionProps) {
  // Kept when the question is gone, so that a person reads why an answer did not count.
  const [said, setSaid] = useState<Said>(null);
  const { question } = session;
  return (
    <>
      <div role="status">{said !== null && 'words' in said ? <p class="note good">{said.words}</p> : null}</div>
      {said !== null && 'error' in said ? <Trouble error={said.error} /> : null}
      {question === null ? null : (
        <section class="card call" aria-label="Open question">
          <h2>{question.later ? `Once the other tasks are done, it waits for ${question.what}` : `Waiting for ${question.what}`}</h2>
          {question.detail === '' ? null : <Markdown text={question.detail} />}
          <Grounds session={session} onActed={onActed} />
          {session.options.length === 0 ? null : (
            <Answers key={question.key} session={session} question={question.key} onSaid={setSaid} onActed={onActed} />
          )}
          {question.more > 0 ? <p class="quiet">Then {writeCount(question.more, 'more question')}.</p> : null}
          {question.answers.length === 0 ? null : (
            <Fold head="The same as commands">
              {question.answers.map(({ command }) => (
                <Command key={command} text={command} />
              ))}
              {session.fleet === null ? null : <EngineHint />}
            </Fold>
          )}
        </section>
      )}
    </>
  );
}

/** The unresolved findings, the failing output and the changes. */
function Grounds({ session, onActed }: QuestionProps) {
  const { question, askedAbout, logs, work } = session;
  const verdict =
    question?.kind === 'escalation' || question?.kind === 'judge-changed' || question?.kind === 'edit' ? openVerdict(session) : null;
  const open = verdict?.findings.filter(({ fingerprint }) => session.rulings[fingerprint]?.dismissed == null) ?? [];
  const log = logs.findLast(({ task }) => task === askedAbout);
  const isPlan = question?.kind === 'plan';
  return (
    <div class="grounds">
      {verdict === null || verdict.findings.length === 0 ? null : (
        <Fold head={writeCount(open.length, 'open finding')} isOpen>
          <Findings session={session} verdict={verdict} onActed={onActed} />
        </Fold>
      )}
      {log === undefined || isPlan ? null : (
        <Fold head={`Output of ${log.task}`} isOpen={verdict === null || verdict.findings.length === 0}>
          <LastLines session={session} name={log.name} />
        </Fold>
      )}
      {question === null || question.patch === '' ? null : (
        <Fold head="The change that was reverted" isOpen>
          <pre class="text short" tabIndex={0} aria-label="The change that was reverted">
            {question.patch}
          </pre>
        </Fold>
      )}
      {work === null || isPlan ? null : (
        <Fold head="Changes so far">
          <Patch session={session} round={null} chain={null} />
        </Fold>
      )}
    </div>
  );
}

const LAST_LINES = 40;

function LastLines({ session, name }: { readonly session: SessionAnswer; readonly name: string }) {
  const { value, error } = useLoaded(() => api.loadLog(session.id, name), `${session.id} ${name}`, session.events);
  if (error !== null) return <Trouble error={error} />;
  const lines = (value ?? '').trimEnd().split('\n');
  return (
    <pre class="text short" tabIndex={0} aria-label={`The last lines of ${name}`}>
      {value === null ? '…' : value === '' ? '(empty)' : lines.slice(-LAST_LINES).join('\n')}
    </pre>
  );
}

interface AnswersProps extends QuestionProps {
  readonly question: string;
  readonly onSaid: (said: Said) => void;
}

function Answers({ session, question, onSaid, onActed }: AnswersProps) {
  const { options } = session;
  const [reason, setReason] = useState('');
  const [goal, setGoal] = useState(session.goal);
  const [grants, setGrants] = useState<Readonly<Record<string, string>>>({});
  const [missing, setMissing] = useState('');
  const [busy, setBusy] = useState<string | null>(null);
  const words = useRef<HTMLTextAreaElement>(null);
  const labels = [...new Set(options.filter((option) => option.reason !== 'none').map(({ says }) => says))];

  const sendAnswer = async (option: AnswerOption): Promise<void> => {
    if (option.reason === 'needed' && reason.trim() === '') {
      setMissing(`"${option.label}" needs your words here.`);
      words.current?.focus();
      return;
    }
    setMissing('');
    setBusy(option.answer);
    onSaid(null);
    const { grant } = option;
    const body: AnswerRequest = {
      id: session.id,
      question,
      answer: option.answer,
      reason: reason.trim(),
      ...(option.needsGoal ? { goal } : {}),
      ...(grant === null ? {} : { [grant.field]: Number(grants[grant.field] ?? grant.usual) }),
    };
    await api.answerQuestion(body).then(
      () => onSaid({ words: `Recorded: ${option.label.toLowerCase()}.` }),
      (error: unknown) => onSaid({ error }),
    );
    setBusy(null);
    onActed();
  };

  return (
    <div class="answers">
      {labels.length === 0 ? null : (
        <label class="field">
          <span>
            {labels.join(', or ').replace(/^./, (letter) => letter.toUpperCase())} <span class="quiet">(recorded with your answer)</span>
          </span>
          <textarea
            ref={words}
            rows={2}
            value={reason}
            aria-invalid={missing !== ''}
            aria-describedby="missing"
            onInput={({ currentTarget }) => setReason(currentTarget.value)}
          />
        </label>
      )}
      <p id="missing" class="bad" role="alert">
        {missing}
      </p>
      <ul class="options">
        {options.map((option, at) => (
          <li key={option.answer}>
            <form
              onSubmit={(event) => {
                event.preventDefault();
                void sendAnswer(option);
              }}
            >
              {option.needsGoal ? (
                <label class="field">
                  <span>The new goal</span>
                  <textarea rows={2} required value={goal} onInput={({ currentTarget }) => setGoal(currentTarget.value)} />
                </label>
              ) : null}
              {option.grant === null ? null : (
                <label class="field number">
                  <span>More {option.grant.unit}</span>
                  <input
                    type="number"
                    min={option.grant.field === 'costUsd' ? '0.01' : '1'}
                    step={option.grant.field === 'costUsd' ? '0.01' : '1'}
                    required
                    value={grants[option.grant.field] ?? String(option.grant.usual)}
                    onInput={({ currentTarget }) => setGrants({ ...grants, [currentTarget.name]: currentTarget.value })}
                    name={option.grant.field}
                  />
                </label>
              )}
              <button
                type="submit"
                class={`button${option.isGrave ? ' grave' : at === 0 ? ' first' : ''}`}
                disabled={busy !== null}
                aria-describedby={`does-${option.answer}`}
              >
                {busy === option.answer ? 'Recording …' : option.label}
              </button>
              <p id={`does-${option.answer}`} class="does">
                {option.does}
              </p>
            </form>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** An edit of tasks.csv that may be an agent's: the note above it says what it changes. */
export function HeldEdit({ session, onActed }: QuestionProps) {
  const [error, setError] = useState<unknown>(null);
  const { heldEdit, id, question } = session;
  if (heldEdit === null) return null;
  const takeAnswer = async (): Promise<void> => {
    setError(null);
    await api
      .answerQuestion({ id, question: question?.key ?? '', answer: heldEdit.answer, reason: 'taken in the dashboard' })
      .catch(setError);
    onActed();
  };
  return (
    <section class="card" aria-label="Held edit">
      <button type="button" class="button" onClick={() => void takeAnswer()}>
        {heldEdit.label}
      </button>
      <p class="does">{heldEdit.does}</p>
      {error === null ? null : <Trouble error={error} />}
    </section>
  );
}
