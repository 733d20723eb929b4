import type { CheckResultsRequest, SessionRequest, SessionResponse } from '#domain/build/agent-protocol.ts';
import type { AgentSession } from '#domain/build/agent-session.ts';
import type { BuildEvent } from '#domain/build/events.ts';
import type { AgentSessionAnswer } from '#flows/builds/session-ports.ts';

/** What the routes for agents ask for; the door wires flows and the API server behind it. */
export interface AgentApi {
  /** `onProvisional` is called at most once, before the answer, with work that may begin meanwhile. */
  openSession(
    request: SessionRequest,
    peer: string,
    onProvisional: (work: SessionResponse) => void,
  ): Promise<AgentSessionAnswer>;
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
