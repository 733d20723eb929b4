import { defined } from '#defined';
import type {
  DebugExchange,
  DebugReport,
  DebugSessionWork,
  DebugWork,
} from '#domain/build/agent-protocol.ts';
import { DEBUG_LIMITS } from '#domain/build/debug-limits.ts';
import { judgeDebugSession, type DebugInput } from '#domain/build/debug-session.ts';
import type { DebugMessage, DebugPorts, DebugTransaction, LockedDebugSession } from './debug-ports.ts';
import type { AttemptRef } from './ports.ts';

/**
 * Stores what the shells of a build printed, and returns what people typed. A repeated report changes
 * nothing.
 */
export async function exchangeDebug(
  attempt: AttemptRef,
  { sessions: reports }: DebugExchange,
  { debug, notifications, now }: DebugPorts,
): Promise<DebugWork> {
  const at = now();
  const { work, hasNews } = await debug.withAttempt(attempt, async (tx, sessions) => {
    const openSessions: DebugSessionWork[] = [];
    let changed = false;
    for (const session of sessions) {
      const report = reports.find(({ id }) => id === session.id);
      const received = await takeReport(tx, session, report);
      const end = judgeDebugSession(session, at) ?? report?.end;
      if (end !== undefined) await tx.end(session, end, at);
      else openSessions.push(await workOf(tx, session, received));
      changed ||= end !== undefined || received > session.lastOutput;
    }
    return { work: { sessions: openSessions }, hasNews: changed };
  });
  if (hasNews) notifications.notify({ topic: 'debug-output', build: attempt.build });
  return work;
}

/**
 * Stores output of the shell up to the backlog limit; the agent sends the rest again. Returns the sequence
 * number of the last output that is stored.
 */
async function takeReport(
  tx: DebugTransaction,
  { id, state, lastOutput }: LockedDebugSession,
  report: DebugReport | undefined,
): Promise<number> {
  if (report === undefined) return lastOutput;
  if (state === 'opening') await tx.update(id, { state: 'open' });
  await tx.drop(id, 'input', report.received);
  let freeCharacters = MAX_BACKLOG_CHARACTERS - (await tx.backlog(id, 'output'));
  let lastStored = lastOutput;
  const messages: DebugMessage[] = [];
  for (const { sequence, data } of report.output) {
    if (sequence !== lastStored + 1 || data.length > freeCharacters) continue;
    messages.push({ sequence, message: data });
    lastStored = sequence;
    freeCharacters -= data.length;
  }
  if (messages.length > 0) await tx.append(id, 'output', messages);
  return lastStored;
}

/**
 * The backlog limit of output in base64, which has four characters for three bytes. Input, which is stored as
 * JSON, has the same limit in characters.
 */
export const MAX_BACKLOG_CHARACTERS = (DEBUG_LIMITS.backlogBytes / 3) * 4;

async function workOf(
  tx: DebugTransaction,
  { id, step, openedBy, command, terminal }: LockedDebugSession,
  received: number,
): Promise<DebugSessionWork> {
  const messages = await tx.messages(id, 'input', 0);
  const input = messages.map(({ sequence, message }) => {
    const parsed: DebugInput = JSON.parse(message);
    return { ...parsed, sequence };
  });
  return { id, step, openedBy, command, received, input, ...defined({ terminal }) };
}
