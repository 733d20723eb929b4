import type { CheckResultsRequest, SessionRequest, SessionResponse } from '#domain/build/agent-protocol.ts';
import type { BuildEvent } from '#domain/build/events.ts';
import type { AgentSession } from '#domain/build/agent-session.ts';

/** What the routes for agents ask for; the door wires flows and the API server behind it. */
export interface AgentApi {
  /** `early` is called at most once, before the answer, with work that may begin while the rest is found out. */
  openSession(
    request: SessionRequest,
    peer: string,
    early: (work: SessionResponse) => void,
  ): Promise<SessionAnswer>;
  /** Whose key this is; undefined when nobody's. */
  sessionOf(keyHash: string): Promise<AgentSession | undefined>;
  applyEvents(
    session: AgentSession & { kind: 'build' },
    events: BuildEvent[],
  ): Promise<{ acknowledged: number; cancel: boolean } | 'over'>;
  recordChecks(
    session: AgentSession & { kind: 'checks' },
    request: CheckResultsRequest,
  ): Promise<'recorded' | 'over'>;
  /** Calls back at once when the build is asked to stop, or may have been; returns how to stop listening. */
  onCancelHint(build: number, heard: () => void): () => void;
}

export type SessionAnswer =
  | { answer: 'opened'; session: AgentSession; response: SessionResponse }
  /** The same key again: its first answer was lost. */
  | { answer: 'same'; session: AgentSession; response: SessionResponse }
  /** The credential is not ours, or the Pod is not the one: never tells the caller which. */
  | { answer: 'refused'; reason: string }
  /** Another key used the credential: the build has been failed. */
  | { answer: 'taken'; session: AgentSession }
  | { answer: 'over' }
  /** Something is not there yet; the agent tries again. */
  | { answer: 'not-yet'; reason: string };
