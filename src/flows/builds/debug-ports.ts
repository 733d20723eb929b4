import type { DebugEnd, OpenDebugSession, TerminalSize } from '#domain/build/debug-session.ts';
import type { DebugTarget, RunningStep } from '#domain/build/decide-debug.ts';
import type { BuildRef } from '#flows/names.ts';
import type { Notifications } from '#flows/notification-ports.ts';
import type { AttemptRef } from './ports.ts';

/* What shells in running steps need from outside. The rules at the top of ports.ts hold. */

export interface DebugSessionToOpen extends AttemptRef {
  ref: BuildRef;
  step: RunningStep;
  by: string;
  command: readonly string[];
  terminal?: TerminalSize;
  at: Date;
}

/** The session of a person, as a request names it. */
export interface DebugSessionName {
  id: number;
  ref: BuildRef;
  by: string;
}

export interface LockedDebugSession extends AttemptRef, OpenDebugSession {
  id: number;
  step: string;
  openedBy: string;
  command: string[];
  terminal?: TerminalSize;
  /** Numbers of the last that were stored. */
  lastInput: number;
  lastOutput: number;
  /** Present once it has ended. */
  end?: DebugEnd;
}

type MessageDirection = 'input' | 'output';

/** JSON of an input, output in base64. */
export interface DebugMessage {
  sequence: number;
  message: string;
}

export interface DebugTransaction {
  /** Characters that the other side has not received. */
  backlog(session: number, direction: MessageDirection): Promise<number>;
  append(session: number, direction: MessageDirection, messages: readonly DebugMessage[]): Promise<void>;
  /** The other side has received everything up to this number. */
  drop(session: number, direction: MessageDirection, upTo: number): Promise<void>;
  /** Those after a number, as many as are together no longer than a backlog. */
  messages(session: number, direction: MessageDirection, after: number): Promise<DebugMessage[]>;
  /** The agent knows it, the person has sent input, their stream has read. */
  note(session: number, news: { state?: 'open'; inputAt?: Date; seenAt?: Date }): Promise<void>;
  /** Records the end in the audit log too. */
  end(session: LockedDebugSession, end: DebugEnd, at: Date): Promise<void>;
  remove(session: number): Promise<void>;
}

export interface DebugStore {
  /** Undefined: no such build. */
  target(ref: BuildRef): Promise<(DebugTarget & AttemptRef) | undefined>;
  /** Records it in the audit log too. `full`: the build has as many open sessions as it may have. */
  open(session: DebugSessionToOpen, most: number): Promise<number | 'full'>;
  /** Locks the sessions of an attempt that have not ended. `work` acts only through its transaction. */
  withAttempt<T>(
    attempt: AttemptRef,
    work: (tx: DebugTransaction, sessions: LockedDebugSession[]) => Promise<T>,
  ): Promise<T>;
  /** Locks a session. Undefined: this person has no such session. */
  withSession<T>(
    name: DebugSessionName,
    work: (tx: DebugTransaction, session: LockedDebugSession) => Promise<T>,
  ): Promise<T | undefined>;
  /** Locks sessions whose person has not read since then. */
  withForgotten(
    since: Date,
    work: (tx: DebugTransaction, sessions: LockedDebugSession[]) => Promise<void>,
  ): Promise<void>;
}

export interface DebugPorts {
  debug: DebugStore;
  notifications: Pick<Notifications, 'notify'>;
  now: () => Date;
}
