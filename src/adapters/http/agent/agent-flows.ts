import type {
  AgentWork,
  CheckResultsRequest,
  DebugExchange,
  DebugWork,
  IdentityTokensRequest,
  SecretsRequest,
  SessionRequest,
} from '#domain/build/agent-protocol.ts';
import type { WorkSession } from '#domain/build/agent-session.ts';
import type { BuildEvent } from '#domain/build/events.ts';
import { beginWarmWork, type WarmWorkAnswer } from '#flows/builds/begin-warm-work.ts';
import type { DebugStore } from '#flows/builds/debug-ports.ts';
import { exchangeDebug } from '#flows/builds/exchange-debug.ts';
import { fetchSecrets, type FetchSecretsPorts, type OperationAnswer } from '#flows/builds/fetch-secrets.ts';
import { followBuild } from '#flows/builds/follow-build.ts';
import type { IdentityTokensAnswer, IssueIdentityPorts } from '#flows/builds/identity-ports.ts';
import { issueIdentityTokens } from '#flows/builds/issue-identity-tokens.ts';
import { openAgentSession, type OpenSessionPorts } from '#flows/builds/open-session.ts';
import type { AttemptRef, BuildStore } from '#flows/builds/ports.ts';
import type { AgentSessionAnswer, SessionStore } from '#flows/builds/session-ports.ts';
import type { CheckStore } from '#flows/checks/ports.ts';
import { recordVersions } from '#flows/checks/record-versions.ts';

/**
 * The flows behind the routes of agents, as an interface that tests of the routes can replace. The answer
 * `over` means that the session has ended.
 */
export interface AgentFlows {
  /**
   * `peer` is the IP address of the agent. `onProvisional` is called at most once, before the answer, with
   * work that may begin while the session is still being checked.
   */
  openSession(
    request: SessionRequest,
    peer: string,
    onProvisional: (work: AgentWork) => void,
  ): Promise<AgentSessionAnswer>;
  followBuild(
    attempt: AttemptRef,
    events: BuildEvent[],
  ): Promise<{ acknowledged: number; cancel: boolean } | 'over'>;
  beginWarmWork(keyHash: string, architecture: string): Promise<WarmWorkAnswer>;
  fetchSecrets(session: WorkSession, request: SecretsRequest): Promise<OperationAnswer>;
  issueIdentityTokens(attempt: AttemptRef, request: IdentityTokensRequest): Promise<IdentityTokensAnswer>;
  exchangeDebug(attempt: AttemptRef, exchange: DebugExchange): Promise<DebugWork>;
  recordVersions(run: number, request: CheckResultsRequest): Promise<'recorded' | 'over'>;
}

export interface AgentPorts
  extends
    Omit<OpenSessionPorts, 'externalUrl'>,
    Omit<FetchSecretsPorts, 'externalUrl'>,
    Omit<IssueIdentityPorts, 'builds' | 'sessions'> {
  builds: BuildStore;
  debug: DebugStore;
  checks: CheckStore;
  sessions: SessionStore;
}

/**
 * Calls the listeners of a build when it may have changed. `build` is its row id. `on` returns a function
 * that removes the listener.
 */
export interface BuildHints {
  on(build: number, listener: () => void): () => void;
}

/**
 * Calls the listeners of a warm Pod when a build may have taken it. `warm` is the row id of the Pod. `on`
 * returns a function that removes the listener.
 */
export interface WarmHints {
  on(warm: number, listener: () => void): () => void;
}

export function agentFlows(ports: AgentPorts): AgentFlows {
  return {
    openSession: (request, peer, onProvisional) => openAgentSession(request, peer, ports, onProvisional),
    beginWarmWork: (keyHash, architecture) => beginWarmWork(keyHash, architecture, ports),
    followBuild: (attempt, events) => followBuild(attempt, events, ports),
    fetchSecrets: (session, request) => fetchSecrets(session, request, ports),
    issueIdentityTokens: (attempt, request) => issueIdentityTokens(attempt, request, ports),
    exchangeDebug: (attempt, exchange) => exchangeDebug(attempt, exchange, ports),
    recordVersions: (run, request) => recordVersions(run, request, ports),
  };
}
