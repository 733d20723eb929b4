import type { CheckResultsRequest, SessionRequest, SessionResponse } from '#domain/build/agent-protocol.ts';
import type { AgentSession } from '#domain/build/agent-session.ts';
import type { BuildEvent } from '#domain/build/events.ts';
import type { AgentSessionAnswer } from '#flows/builds/session-ports.ts';

/** What the routes of agents need; the gateway connects it to flows and the API server. */
export interface AgentApi {
  /** `onProvisional` is called at most once, before the answer, with work that may begin meanwhile. */
  openSession(
    request: SessionRequest,
    peer: string,
    onProvisional: (work: SessionResponse) => void,
  ): Promise<AgentSessionAnswer>;
  /** The session of the key; undefined if there is none. */
  sessionOf(keyHash: string): Promise<AgentSession | undefined>;
  applyEvents(
    session: AgentSession & { kind: 'build' },
    events: BuildEvent[],
  ): Promise<{ acknowledged: number; cancel: boolean } | 'over'>;
  recordChecks(
    session: AgentSession & { kind: 'checks' },
    request: CheckResultsRequest,
  ): Promise<'recorded' | 'over'>;
  /** Calls `heard` when the build is, or may be, cancelled. Returns a function that stops listening. */
  onCancelHint(build: number, heard: () => void): () => void;
}
