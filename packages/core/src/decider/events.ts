// The events of a session, as the journal stores them. An event never changes its meaning: a new meaning is a new event or a new
// version. What follows from events by rule (skipped tasks, questions, next steps) is derived from the state and not recorded, so a
// journal that was cut off anywhere is still consistent.

import type { Anomaly, Cells, Damage, Finding, Grade, Verdict } from '../model/vocabulary.js';
import type { EvidenceState, FactValue, Loop } from '../loops/loop.js';
import type { RUN_SETTINGS, SettingValues } from '../model/options.js';
import type { OutputType, Usage } from '../model/ports.js';
import type { Answer, AnswerVia } from '../model/questions.js';

/** The version of journal lines that this code writes. It also reads all earlier versions. */
export const JOURNAL_VERSION = 1;

/** The changes that a verdict makes in the session folder. They can be applied twice without harm. */
export interface Effects {
  /** Rows to append to tasks.csv. */
  readonly add: readonly Cells[];
  /** Cells to change, by task id. */
  readonly set: Readonly<Record<string, Cells>>;
  readonly files: readonly { readonly path: string; readonly text: string }[];
}

export type Event =
  | RunEvent
  /** The first line of a session that another program runs. */
  | {
      readonly type: 'SessionObserved';
      readonly data: { readonly session: string; readonly tasks: number };
    }
  /** Comes with the first verdict of a loop: from here on its rules, cap and chains are fixed. */
  | {
      readonly type: 'RulesFrozen';
      readonly data: {
        readonly loop: string;
        readonly hash: string;
        readonly rules: Loop;
        readonly cap: number;
        readonly chains: readonly string[];
      };
    }
  | { readonly type: 'TargetFrozen'; readonly data: { readonly loop: string; readonly chain: string; readonly target: number } }
  /** A person changed the cap. */
  | {
      readonly type: 'CapChanged';
      readonly data: { readonly loop: string; readonly from: number; readonly to: number; readonly by: string };
    }
  /** A person named a chain that was not planned. It counts as planned from here on. */
  | { readonly type: 'ChainNamed'; readonly data: { readonly loop: string; readonly chain: string; readonly by: string } }
  /** An unplanned chain continues the rounds of these open chains. From here on they count their rounds together. */
  | { readonly type: 'ChainContinued'; readonly data: { readonly loop: string; readonly chain: string; readonly of: readonly string[] } }
  /** By path: the hash of evidence that `umpire critique` measured, for a session that another program runs. */
  | {
      readonly type: 'EvidenceMeasured';
      readonly data: { readonly loop: string; readonly task: string; readonly files: Readonly<Record<string, string>> };
    }
  /** A person dismissed a finding: from the next verdict on it does not count, unless it comes back with a higher severity. */
  | { readonly type: 'FindingRuled'; readonly data: FindingRuled }
  /** The progress of chains, found outside a journal that had lost it. */
  | { readonly type: 'RoundsRecalled'; readonly data: { readonly loop: string; readonly chains: readonly ChainProgress[] } }
  | { readonly type: 'VerdictGiven'; readonly data: VerdictGiven }
  /** The verdict's effects are in the folder. */
  | {
      readonly type: 'VerdictProjected';
      readonly data: { readonly verdict: number; readonly results: string | null };
    };

export interface FindingRuled {
  readonly ruling: 'dismissed';
  /** As its last verdict lists it. The ruling holds for its fingerprint. */
  readonly finding: Finding;
  /** The `seq` of that verdict. */
  readonly verdict: number;
  readonly reason: string;
  /** How it was dismissed: `dismiss`. */
  readonly by: string;
  readonly who?: string;
  readonly via?: AnswerVia;
}

/** `round` is one higher after a revision. */
export interface ChainProgress {
  readonly chain: string;
  readonly round: number;
  /** Its last verdict did not approve it. */
  readonly open: boolean;
  readonly target?: number;
}

/** One piece of evidence as a verdict found it, before a substitute (`else`) was used. */
export interface RecordedEvidence {
  readonly state: EvidenceState;
  /** A path without a hash: the file could not be read, or no fact uses it and it was too large to keep. */
  readonly path?: string;
  /** The bytes are in `blobs/<sha256>`. For a row of tasks.csv they follow from the journal itself. */
  readonly sha256?: string;
  /** Missing in earlier versions: the grade that the loop's file states. */
  readonly grade?: Grade;
  /** Why the file could not be read, without its path. */
  readonly problem?: string;
}

/** The other inputs of a verdict, so that `umpire replay` can repeat it from the journal and the blobs alone. */
export interface RecordedContext {
  /** The critic's task, by id. */
  readonly critic: string | null;
  /** tasks.csv before the verdict: its text, the hash of a blob if it is long, or `journal` if it follows from the journal. */
  readonly tasks: string | { readonly sha256: string } | { readonly journal: true } | null;
  /** Anomalies found before the evidence was read. */
  readonly anomalies: readonly Anomaly[];
  readonly exhibits: Readonly<Record<string, RecordedEvidence>>;
  /** The error that kept the verdict's tasks from being written. */
  readonly unwritable: string | null;
  /** The rules, if the journal has not frozen them yet: a partial verdict before the first decided one. */
  readonly rules: Loop | null;
  /** The findings of every critic are listed, each once. Missing in versions that listed one source for each severity. */
  readonly voices?: true;
  /** The round that others stated last in a state file. Umpire writes there too, after each verdict. */
  readonly state?: number;
  /** By id: the cells of tasks that a person declared done elsewhere (`--round`). `tasks` has them already. */
  readonly elsewhere?: Readonly<Record<string, Cells>>;
  /** Scores are checked (V5), contexts follow re-checks (V11), and a failed generator counts (V18). Missing in earlier versions. */
  readonly version?: 2;
}

export interface VerdictGiven {
  /** Identifies the evidence: the same evidence gets the same verdict. */
  readonly key: string;
  readonly strict: boolean;
  /** The chain's target, if its loop has one. */
  readonly target: number | null;
  readonly verdict: Verdict;
  /** The facts after the repairs. */
  readonly facts: Readonly<Record<string, FactValue>>;
  /** Names in lists that a later verdict compares with. */
  readonly lists: Readonly<Record<string, readonly string[]>>;
  readonly report: string;
  readonly effects: Effects;
  /** Missing in early versions: such a verdict cannot be replayed. */
  readonly scene?: RecordedContext;
  /** Missing in versions that computed no trend. */
  readonly course?: TrendInputs;
}

export interface TrendInputs {
  /** A revision of a stalled chain becomes an escalation. */
  readonly stop: boolean;
  /** The files changed since the previous verdict; null if unknown. */
  readonly touched: readonly string[] | null;
  /** The `seq` of the verdict that the lists were compared with; null: none. Missing: the last verdict, if it was a revision. */
  readonly against?: number | null;
  /** The `seq` of earlier verdicts of the chain whose work was reverted. Missing: none, or a version that did not look at it. */
  readonly undone?: readonly number[];
}

/** An event with its place in the journal. */
export type Recorded = Event & {
  readonly seq: number;
  readonly ts: string;
  /** Milliseconds since the line before, or since this process opened the journal, by a monotonic clock. Missing in earlier versions. */
  readonly ms?: number;
};

/** The data of the events of one type. */
export type EventData<T extends Event['type']> = Extract<Event, { readonly type: T }>['data'];

/** The settings of a run. A person may change them with flags when it is resumed. */
export interface RunSettings extends SettingValues<typeof RUN_SETTINGS> {
  /** The agent of each role; `*` for all other roles. */
  readonly agents: Readonly<Record<string, string>>;
  /** By role, or `*`: agents that take over, in this order, while the plan of the agent before is used up. */
  readonly fallbacks?: Readonly<Record<string, readonly string[]>>;
  /** The generator's agent from this round on. */
  readonly stronger?: { readonly agent: string; readonly fromRound: number };
  /** The program of the agent named `command`. */
  readonly agentCommand: string | null;
  /** Plans are approved without asking. */
  readonly yes: boolean;
}

export interface SessionStarted {
  readonly session: string;
  readonly loop: string;
  readonly goal: string;
  /** The folders of the project and of a custom loop file. */
  readonly project: string;
  readonly loopFolder: string | null;
  readonly mode: string;
  /** Why this mode was chosen, for people. */
  readonly why: string;
  /** The critic's role. */
  readonly critic: string;
  /** False: no critic of this mode is judged, and the session ends as complete and unverified. */
  readonly judged: boolean;
  readonly columns: readonly string[];
  readonly rows: readonly Cells[];
  /** Tasks whose result a person must approve before the session continues. */
  readonly gates: readonly string[];
  /** Roles whose tasks change the project's files. */
  readonly writers: readonly string[];
  /** By role: its output columns and what they contain. Missing: every role may fill every column. */
  readonly outputs?: Readonly<Record<string, Readonly<Record<string, OutputType>>>>;
  readonly settings: RunSettings;
  /** The frozen rules. They are part of this line, so that a session never exists without them. */
  readonly frozen?: {
    readonly hash: string;
    readonly rules: Loop;
    readonly cap: number;
    readonly chains: readonly string[];
    /** By chain, if the loop has a target. */
    readonly targets: Readonly<Record<string, number>>;
  };
  /** Null if there is no project to change. */
  readonly workspace: {
    readonly kind: 'git' | 'snapshot';
    readonly branch: string;
    readonly base: string;
  } | null;
  /** The command of the `until` loop. */
  readonly command?: string;
  /** The report that the command writes, if the person names one. */
  readonly report?: string;
  /** W4: a person takes the exit status of the command as it is, although it may hide a failure. */
  readonly trustsExitStatus?: true;
  readonly topic?: ForgeTopic;
  /** Only for a session that a fleet runs. */
  readonly fleet?: FleetSession;
}

/** The issue or pull request that a session is about. Its texts are foreign: data, never instructions. */
export interface ForgeTopic {
  readonly kind: 'issue' | 'pull request';
  /** `owner/name`. */
  readonly repository: string;
  readonly number: number;
  readonly url: string;
  readonly title: string;
  readonly author: string;
  readonly text: string;
  /** Unresolved review comments: findings of the first round. */
  readonly comments: readonly Finding[];
}

/** What the workers of a fleet need, as it was when the session began. Hashes name blobs. */
export interface FleetSession {
  /** The git remote that conductor and workers share; empty without one. */
  readonly remote: string;
  /** The project's folder in the repository, with slashes; empty: the root. */
  readonly folder: string;
  /** Labels that every worker of the session needs. */
  readonly needs: readonly string[];
  /** Whose session it is; tenants share the workers evenly. */
  readonly tenant: string;
  /** The settings as JSON. */
  readonly settings: string;
  /** By role: its text. */
  readonly roles: Readonly<Record<string, { readonly path: string; readonly sha256: string }>>;
}

/** What the guard found in a task's work: a change that weakens tests, or a note. */
export interface Breach {
  readonly rule: string;
  readonly file: string;
  readonly line: number;
  readonly message: string;
  /** What was reverted before the work was committed; null: it was only reported. */
  readonly taken: 'hunk' | 'file' | null;
  /** For people to look at, never reverted. Absent: a breach. */
  readonly level?: 'note';
}

/** The retrial of a change: the base's tests on the new code, and more runs where that left a question. */
export interface RetrialRecord {
  /** Why it says nothing, or not all; null where it does. */
  readonly problem: string | null;
  readonly runs: readonly RetrialRun[];
  /** Small defects in source that changed tests import. `kept`: both versions of the tests notice it. `lost`: only the old one does. */
  readonly mutants?: {
    readonly found: number;
    readonly tried: number;
    readonly kept: number;
    readonly lost: number;
    readonly duration_ms: number;
  };
}

export interface RetrialRun {
  /** `base`, `old tests, new code`, `new tests, new code` or `new tests, old code`. */
  readonly tree: string;
  readonly commit: string;
  /** The person's command, or the runners that Umpire called. */
  readonly command: string;
  /** Null: it could not run, or did not end in time. */
  readonly passed: boolean | null;
  readonly exit_status: number | null;
  /** Null: only the exit status is known. */
  readonly tests: { readonly passed: number; readonly failed: number; readonly skipped: number } | null;
  readonly started: string;
  readonly duration_ms: number;
  readonly problem: string | null;
}

/** `files`: those in which tests regressed. `existing`: all that the cycle changed, but not those that it added. `cycle`: all of it. */
export type RevertUnit = 'files' | 'existing' | 'cycle';

/** The changes of an unsuccessful attempt, kept in a commit that is never merged. `files` may be cut. */
export interface UnmergedWork {
  readonly commit: string;
  readonly files: readonly string[];
  /** A person's work: their next attempt starts from it. */
  readonly goesOn?: boolean;
}

export interface TaskFinished {
  readonly task: string;
  readonly attempt: number;
  readonly status: 'completed' | 'failed';
  readonly findings: string;
  readonly error: string;
  readonly outputs: Cells;
  readonly usage: Usage;
  /** The commit that the task submitted, and the branch's head after it was merged. */
  readonly commit?: string;
  readonly head?: string;
  readonly files?: readonly string[];
  /** By path: the hash of the evidence when the critic ended, or null if there was none. */
  readonly evidence?: Readonly<Record<string, string | null>>;
  /** A built-in critic measured that evidence; it is not an agent's statement. */
  readonly measured?: boolean;
  /** Of that evidence, the files that a tool run by Umpire produced. Missing in earlier versions: all of it. */
  readonly measuredFiles?: readonly string[];
  /** For a writing task: what the guard found in its work. */
  readonly breaches?: readonly Breach[];
  /** For a writing task that changed tests: what Umpire ran to find out what they hide. */
  readonly retrial?: RetrialRecord;
  /** For a writing task that failed. */
  readonly left?: UnmergedWork;
  /** For a critic: the damage that the work before it did. */
  readonly damage?: Damage;
  /** For a critic: why the built-in critic could not measure, so that an agent's word replaced its measurement. */
  readonly unmeasured?: string;
  /** A writing task that changed no file. Missing in earlier versions, and in loops that do not say it. */
  readonly unchanged?: true;
  /** The agent's own id of its conversation, with which a later task can continue it. */
  readonly conversation?: string;
}

/** Changes of tasks.csv. `told`: one sentence for each change. */
export interface PlanEdit {
  readonly set: Readonly<Record<string, Cells>>;
  readonly add: readonly Cells[];
  readonly columns: readonly string[];
  readonly told: readonly string[];
}

export interface PersonAnswered {
  /** The key of the question it answers. `edits` for a held edit of tasks.csv. */
  readonly key: string;
  readonly answer: Answer;
  readonly reason: string;
  readonly rounds: number;
  readonly costUsd: number;
  readonly minutes: number;
  readonly tokens: number;
  /** How it was answered: `resolve`, `--yes`. */
  readonly by: string;
  /** Who answered, if known: the user name on the machine, or a name that a program passes. */
  readonly who?: string;
  /** Missing in earlier versions. */
  readonly via?: AnswerVia;
  /** The new goal, for `change-goal`. */
  readonly goal?: string;
}

export type RunEvent =
  /** The first line of a session that Umpire runs. */
  | { readonly type: 'SessionStarted'; readonly data: SessionStarted }
  /** A process starts or resumes the session. Tasks that were running before are not running any more. */
  | {
      readonly type: 'RunBegun';
      readonly data: { readonly run: string; readonly by: string; readonly settings: RunSettings; readonly head: string | null };
    }
  | {
      readonly type: 'TaskStarted';
      readonly data: {
        readonly task: string;
        readonly attempt: number;
        readonly agent: string;
        /** The agent's conversation that it continues. */
        readonly conversation?: string;
      };
    }
  /** A writing task has submitted its work, which is not merged yet. */
  | { readonly type: 'TaskSubmitted'; readonly data: TaskFinished & { readonly commit: string } }
  | { readonly type: 'TaskFinished'; readonly data: TaskFinished }
  /** Nothing changed since the critic `of` was judged, so this critic does not run: that evidence is judged again, as a new round. */
  | { readonly type: 'EvidenceRepeated'; readonly data: { readonly task: string; readonly attempt: number; readonly of: string } }
  | {
      readonly type: 'TaskAsked';
      readonly data: {
        readonly task: string;
        readonly attempt: number;
        readonly question: string;
        readonly usage: Usage;
        /** The unfinished work of a writing task, kept for its next attempt. */
        readonly commit?: string;
        readonly files?: readonly string[];
        readonly conversation?: string;
      };
    }
  /** The agent says that it cannot or should not do the task. A person decides; it is not retried by itself. */
  | {
      readonly type: 'TaskBlocked';
      readonly data: {
        readonly task: string;
        readonly attempt: number;
        readonly reason: string;
        readonly usage: Usage;
        /** The unfinished work of a writing task, kept for its next attempt. */
        readonly commit?: string;
        readonly files?: readonly string[];
        readonly conversation?: string;
      };
    }
  /** Stopped before it ended. It will run again. */
  | {
      readonly type: 'TaskInterrupted';
      readonly data: {
        readonly task: string;
        readonly attempt: number;
        readonly why: string;
        readonly usage?: Usage;
        readonly left?: UnmergedWork;
        readonly conversation?: string;
        /** A worker of a fleet could not run it, for a reason of its own. */
        readonly givenBack?: true;
      };
    }
  /** In a fleet: files of the session folder that an attempt changed, by path, and what it added to the board. Hashes name blobs; null: removed. */
  | {
      readonly type: 'FolderChanged';
      readonly data: {
        readonly task: string;
        readonly attempt: number;
        readonly files: Readonly<Record<string, string | null>>;
        readonly board: string | null;
      };
    }
  /** The model's server was overloaded or unreachable. The task is retried after `waitMs`. */
  | {
      readonly type: 'TaskPostponed';
      readonly data: {
        readonly task: string;
        readonly attempt: number;
        readonly why: string;
        readonly waitMs: number;
        readonly usage: Usage;
        readonly left?: UnmergedWork;
        readonly conversation?: string;
      };
    }
  /** The agent's plan is used up. Another agent takes over, or the task waits until the plan is renewed. */
  | {
      readonly type: 'TaskLimited';
      readonly data: {
        readonly task: string;
        readonly attempt: number;
        /** The agent whose plan it is. */
        readonly agent: string;
        readonly why: string;
        readonly resetsAt: string | null;
        readonly usage: Usage;
        readonly left?: UnmergedWork;
        readonly conversation?: string;
      };
    }
  /** The wait of a postponed task is over, or the session's minutes are used up. */
  | { readonly type: 'WaitEnded'; readonly data: { readonly task: string } }
  /** Recorded when nothing else happened for a while, so that a killed process does not lose the time it worked. Holds task counts. */
  | { readonly type: 'TimePassed'; readonly data: { readonly atWork: number; readonly waiting: number } }
  | { readonly type: 'TaskSkipped'; readonly data: { readonly task: string; readonly reason: string } }
  /** Finished tasks that run again: a critic without evidence, a plan to revise, failed tasks that a person retries. */
  | { readonly type: 'TasksReopened'; readonly data: { readonly tasks: readonly string[]; readonly why: string } }
  /** The critic left nothing that could be judged. */
  | {
      readonly type: 'JudgingFailed';
      readonly data: {
        readonly task: string;
        readonly attempt: number;
        readonly rule: string;
        readonly message: string;
        readonly hint: string;
      };
    }
  /** A person's edit of tasks.csv was applied. */
  | { readonly type: 'TasksEdited'; readonly data: PlanEdit }
  /** An edit that may be an agent's: a task ran since Umpire last wrote the file. `kept`: the path of the copy of the edited file. */
  | { readonly type: 'EditHeld'; readonly data: PlanEdit & { readonly kept: string } }
  /** An edit that contradicts the session. `kept`: the path of the copy of the edited file. */
  | { readonly type: 'EditRefused'; readonly data: { readonly reason: string; readonly kept: string } }
  /** A person was notified of a question. `by`: the notify command, if there is one. */
  | { readonly type: 'PersonCalled'; readonly data: { readonly key: string; readonly by: string } }
  | { readonly type: 'PersonAnswered'; readonly data: PersonAnswered }
  /** A person changed files in the session's worktree. */
  | {
      readonly type: 'PersonEdited';
      readonly data: { readonly commit: string; readonly files: readonly string[]; readonly via?: AnswerVia };
    }
  /** Read-only tasks changed files, or somebody changed verdict pages. The changes were discarded. */
  | { readonly type: 'StrayChanges'; readonly data: { readonly wave: number; readonly files: readonly string[] } }
  /** Work that made things worse was reverted. */
  | {
      readonly type: 'WorkReverted';
      readonly data: {
        readonly verdict: number;
        readonly tasks: readonly string[];
        readonly head: string | null;
        readonly files: readonly string[];
        readonly ok: boolean;
      };
    }
  /** Files were restored to the state before the critic's cycle, because the cycle did damage. The critic runs again on what is left. */
  | {
      readonly type: 'DamageReverted';
      readonly data: {
        readonly critic: string;
        readonly attempt: number;
        readonly unit: RevertUnit;
        readonly tasks: readonly string[];
        /** The files that changed by it. */
        readonly files: readonly string[];
        readonly head: string | null;
        readonly tests: readonly string[];
        readonly coverage: Damage['coverage'];
        readonly ok: boolean;
      };
    }
  /** `tell`: the person still has to be notified, which `PersonCalled` with the key `end` records. */
  | {
      readonly type: 'SessionEnded';
      readonly data: {
        readonly outcome: 'complete' | 'failed' | 'aborted';
        readonly unverified: boolean;
        readonly reason: string;
        readonly tell?: true;
      };
    };
