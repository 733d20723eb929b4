import {
  judgeDebugSession,
  SESSION_CLOSED,
  type DebugEnd,
  type DebugInput,
} from '#domain/build/debug-session.ts';
import type { DebugMessage, DebugPorts, DebugSessionName } from './debug-ports.ts';
import { MAX_BACKLOG_CHARACTERS } from './exchange-debug.ts';

export interface DebugInputRequest {
  /** Absent: the request only reports what the terminal received. */
  input?: DebugInput & { sequence: number };
  /** Sequence number of the last output that the terminal has received. */
  received: number;
}

/**
 * Stores input of a person. `accepted`: sequence number of the last input that is stored; the terminal sends
 * later input again. Undefined: this person has no such session.
 */
export async function giveDebugInput(
  name: DebugSessionName,
  { input, received }: DebugInputRequest,
  { debug, notifications, now }: DebugPorts,
): Promise<{ accepted: number; ended: boolean } | undefined> {
  const at = now();
  const stored = await debug.withSession(name, async (tx, session) => {
    const { id, build, lastInput } = session;
    await tx.drop(id, 'output', received);
    if (session.end !== undefined) return { build, accepted: lastInput, ended: true };
    if (input === undefined || input.sequence !== lastInput + 1)
      return { build, accepted: lastInput, ended: false };
    const { sequence, ...withoutSequence } = input;
    const message = JSON.stringify(withoutSequence);
    if (message.length > MAX_BACKLOG_CHARACTERS - (await tx.backlog(id, 'input')))
      return { build, accepted: lastInput, ended: false };
    await tx.append(id, 'input', [{ sequence, message }]);
    await tx.update(id, { inputAt: at, seenAt: at });
    return { build, accepted: sequence, ended: false };
  });
  if (stored === undefined) return undefined;
  notifications.notify({ topic: 'debug-input', build: stored.build });
  return { accepted: stored.accepted, ended: stored.ended };
}

/** Ends the shell, if it has not ended, and removes its session. */
export async function closeDebugSession(
  name: DebugSessionName,
  { debug, notifications, now }: DebugPorts,
): Promise<'closed' | 'unknown'> {
  const build = await debug.withSession(name, async (tx, session) => {
    if (session.end === undefined) await tx.end(session, SESSION_CLOSED, now());
    await tx.remove(session.id);
    return session.build;
  });
  if (build === undefined) return 'unknown';
  notifications.notify({ topic: 'debug-input', build });
  return 'closed';
}

export interface DebugOutput {
  build: number;
  output: DebugMessage[];
  /** The session has ended, and nothing follows. */
  end?: DebugEnd;
}

/** How often a stream of output records that its person still reads. */
const SEEN_EVERY_MS = 10_000;

/** What the shell printed after this sequence number. Undefined: this person has no such session. */
export async function readDebugOutput(
  name: DebugSessionName,
  after: number,
  { debug, notifications, now }: DebugPorts,
): Promise<DebugOutput | undefined> {
  const at = now();
  return await debug.withSession(name, async (tx, session) => {
    const { id, build, state, seenAt } = session;
    if (at.getTime() - seenAt.getTime() > SEEN_EVERY_MS) await tx.update(id, { seenAt: at });
    const end = session.end ?? judgeDebugSession({ ...session, seenAt: at }, at);
    if (session.end === undefined && end !== undefined) await tx.end(session, end, at);
    // The agent does not know the session yet, perhaps because a notification was lost.
    if (state === 'opening') notifications.notify({ topic: 'debug-input', build });
    const output = await tx.messages(id, 'output', after);
    return output.length === 0 && end !== undefined ? { build, output, end } : { build, output };
  });
}
