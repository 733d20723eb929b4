import type { DebugEnd, OpenDebugSession, TerminalSize } from '#domain/build/debug-session.ts';
import type { DebugTarget, RunningStep } from '#domain/build/decide-debug.ts';
import type { BuildRef } from '#flows/names.ts';
import type { Notifications } from '#flows/notification-ports.ts';
import type { AttemptRef } from './ports.ts';

/* What shells in running steps need from outside. */

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
  /** Sequence numbers of the last messages that were stored. */
  lastInput: number;
  lastOutput: number;
  /** Present once the session has ended. */
  end?: DebugEnd;
}

/** `input`: from the person to the agent. `output`: from the agent to the person. */
type MessageDirection = 'input' | 'output';

export interface DebugMessage {
  sequence: number;
  /** An input as JSON, or output in base64. */
  message: string;
}

export interface DebugTransaction {
  /** Characters of stored messages that the receiver has not confirmed. */
  backlog(session: number, direction: MessageDirection): Promise<number>;
  append(session: number, direction: MessageDirection, messages: readonly DebugMessage[]): Promise<void>;
  /** Removes the messages up to this sequence number, which the receiver has confirmed. */
  drop(session: number, direction: MessageDirection, upTo: number): Promise<void>;
  /** The oldest messages after this sequence number, as many as fit into one answer. */
  messages(session: number, direction: MessageDirection, after: number): Promise<DebugMessage[]>;
  /**
   * Updates the given fields. `state`: the agent knows the session. `inputAt`: when the person last sent
   * input. `seenAt`: when they last read output or sent input.
   */
  update(session: number, changes: { state?: 'open'; inputAt?: Date; seenAt?: Date }): Promise<void>;
  /** Records the end in the audit log too. */
  end(session: LockedDebugSession, end: DebugEnd, at: Date): Promise<void>;
  remove(session: number): Promise<void>;
}

export interface DebugStore {
  /** Undefined: no such build. */
  target(ref: BuildRef): Promise<(DebugTarget & AttemptRef) | undefined>;
  /**
   * Returns the id of the session. Records the session in the audit log too. `full`: the build already has
   * `maxOpen` open sessions.
   */
  open(session: DebugSessionToOpen, maxOpen: number): Promise<number | 'full'>;
  /** Locks the sessions of an attempt that have not ended. `work` reads and writes only through `tx`. */
  withAttempt<T>(
    attempt: AttemptRef,
    work: (tx: DebugTransaction, sessions: LockedDebugSession[]) => Promise<T>,
  ): Promise<T>;
  /** Locks a session. Undefined: this person has no such session. */
  withSession<T>(
    name: DebugSessionName,
    work: (tx: DebugTransaction, session: LockedDebugSession) => Promise<T>,
  ): Promise<T | undefined>;
  /** Locks sessions, ended ones too, whose person has neither read output nor sent input since that time. */
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
