// The verdicts of each chain: charts by round, and every verdict with its evidence.

import type { SessionAnswer, TimedVerdict } from '@umpire/umpire/doors/http/answers.js';
import { RoundCharts } from './charts.js';
import { Findings, countWords } from './findings.js';
import { moment, Fold, Lines, address } from './parts.js';

const MOST_TASKS = 30;

interface RoundsProps {
  readonly session: SessionAnswer;
  readonly onActed: () => void;
}

export function Rounds({ session, onActed }: RoundsProps) {
  const { verdicts } = session;
  if (verdicts.length === 0) return <p class="quiet">No verdict yet.</p>;
  const keys = [...new Set(verdicts.map(makeChainKey))];
  return (
    <>
      {keys.map((key) => (
        <Chain
          key={key}
          session={session}
          given={verdicts.filter((verdict) => makeChainKey(verdict) === key)}
          isNamed={keys.length > 1}
          onActed={onActed}
        />
      ))}
    </>
  );
}

const makeChainKey = ({ loop, chain }: TimedVerdict): string => JSON.stringify([loop, chain]);

interface ChainProps extends RoundsProps {
  readonly given: readonly TimedVerdict[];
  readonly isNamed: boolean;
}

function Chain({ session, given, isNamed, onActed }: ChainProps) {
  const { loop, chain } = given[0] as TimedVerdict;
  const label = session.chains.find((one) => one.loop === loop && one.chain === chain)?.label ?? chain;
  return (
    <section class="chain" aria-label={label === '' ? 'Rounds' : label}>
      {isNamed ? <h2>{label === '' ? chain : label}</h2> : null}
      {given.length > 1 ? <RoundCharts given={given} /> : null}
      {given.toReversed().map((verdict, at) => (
        <GivenVerdict key={`${verdict.round} ${verdict.at}`} session={session} verdict={verdict} isOpen={at === 0} onActed={onActed} />
      ))}
    </section>
  );
}

interface VerdictProps extends RoundsProps {
  readonly verdict: TimedVerdict;
  readonly isOpen: boolean;
}

function GivenVerdict({ session, verdict, isOpen, onActed }: VerdictProps) {
  const { round, maxRounds, decision, outcome, rule, reason, at, unverified, trend, counts, findings, tasks } = verdict;
  const head = (
    <>
      <span class={`word ${outcome}`}>{decision}</span>
      <strong>
        Round {round} of {maxRounds}
      </strong>
      <span class="quiet">
        rule {rule} · {countWords(counts)} · {moment(at)}
      </span>
      {unverified ? <span class="badge unverified">unverified</span> : null}
      <span class="title">{reason}</span>
    </>
  );
  return (
    <Fold class="verdict" head={head} isOpen={isOpen}>
      {trend === undefined || outcome === 'converge' || outcome === 'accept' ? null : (
        <p>
          <strong>{trend.kind}:</strong> {trend.why}
        </p>
      )}
      <Lines head="Waived" texts={verdict.waivers} />
      <Lines head="Anomalies" texts={verdict.anomalies.map(({ rule, message }) => `${message} (${rule})`)} />
      {findings.length === 0 ? null : (
        <div>
          <h3>Findings</h3>
          <Findings session={session} verdict={verdict} onActed={onActed} />
        </div>
      )}
      <Lines
        head="New tasks"
        texts={tasks.slice(0, MOST_TASKS).map(({ id, title }) => (typeof title === 'string' && title !== '' ? `${id}: ${title}` : id))}
      />
      <Evidence verdict={verdict} />
      {session.work === null ? null : (
        <p class="links">
          <a href={address(session.id, 'changes', String(round), verdict.chain)}>Changes of this round</a>
        </p>
      )}
    </Fold>
  );
}

function Evidence({ verdict: { evidence } }: { readonly verdict: TimedVerdict }) {
  if (evidence.length === 0) return null;
  return (
    <div>
      <h3>Evidence</h3>
      <ul class="plain">
        {evidence.map(({ path, grade, sha256 }) => (
          <li key={path}>
            <code>{path}</code>
            <span class="quiet">
              {' '}
              {grade}, {sha256.slice(0, 12)}
            </span>
          </li>
        ))}
      </ul>
      {evidence.every(({ grade }) => grade === 'testified') ? (
        <p class="quiet">Testimony only: Umpire measured none of this evidence; agents wrote it.</p>
      ) : null}
    </div>
  );
}
