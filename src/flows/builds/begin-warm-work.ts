import type { AgentWork } from '#domain/build/agent-protocol.ts';
import type { WorkSession } from '#domain/build/agent-session.ts';
import {
  answerWithoutImage,
  prepareBuild,
  type EndWorkPorts,
  type PrepareBuildPorts,
} from './open-session.ts';
import type { SessionStore } from './session-ports.ts';

export interface BeginWarmWorkPorts extends PrepareBuildPorts, EndWorkPorts {
  sessions: Pick<SessionStore, 'sessionOf' | 'warmReady'>;
}

export type WarmWorkAnswer =
  | { answer: 'begin'; session: WorkSession; work: AgentWork }
  /** No build has taken the Pod. From now on, a build can take it. */
  | { answer: 'waiting'; warm: number }
  /** The entrypoint of an image is not known: the agent asks again. */
  | { answer: 'not-yet'; reason: string }
  | { answer: 'over' };

/**
 * The work of the agent of a warm Pod. The agent asks when it begins to wait, and when a build may have taken
 * its Pod. The answer comes from the database, so a lost notification costs only time.
 */
export async function beginWarmWork(
  keyHash: string,
  architecture: string,
  ports: BeginWarmWorkPorts,
): Promise<WarmWorkAnswer> {
  const session = await ports.sessions.sessionOf(keyHash);
  if (session === undefined || session.kind === 'checks') return { answer: 'over' };
  if (session.kind === 'warm') {
    await ports.sessions.warmReady(session.warm, ports.now());
    return { answer: 'waiting', warm: session.warm };
  }
  const work = await prepareBuild(session, architecture, ports);
  if (work.answer === 'over') return { answer: 'over' };
  if (work.answer === 'ready') return { answer: 'begin', session, work: work.response };
  const missing = await answerWithoutImage(session, work, ports);
  return missing.answer === 'not-yet' ? missing : { answer: 'over' };
}
