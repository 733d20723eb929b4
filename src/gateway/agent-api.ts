import type { AgentApi } from '#adapters/http/agent/agent-api.ts';
import { followBuild } from '#flows/builds/follow-build.ts';
import { openAgentSession, type OpenSessionPorts } from '#flows/builds/open-session.ts';
import type { BuildStore } from '#flows/builds/ports.ts';
import type { SessionStore } from '#flows/builds/session-ports.ts';
import type { CheckStore } from '#flows/checks/ports.ts';
import { recordVersions } from '#flows/checks/record-versions.ts';
import type { Notifications } from '#flows/notification-ports.ts';

export interface AgentApiParts extends OpenSessionPorts {
  builds: BuildStore;
  checks: CheckStore;
  sessions: SessionStore;
  notifications: Notifications;
  cancels: { on(build: number, listener: () => void): () => void };
}

/** What agents may ask, as flows over the database and the API server. */
export function agentApi(parts: AgentApiParts): AgentApi {
  return {
    openSession: (request, peer, onProvisional) => openAgentSession(request, peer, parts, onProvisional),
    sessionOf: (keyHash) => parts.sessions.sessionOf(keyHash),
    applyEvents: (session, events) => followBuild(session, events, parts),
    recordChecks: ({ run }, request) => recordVersions(run, request, parts),
    onCancelHint: (build, listener) => parts.cancels.on(build, listener),
  };
}
