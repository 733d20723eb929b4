import type { SecretsRequest, SecretsResponse } from '#domain/build/agent-protocol.ts';
import type { WorkSession } from '#domain/build/agent-session.ts';
import { isActive } from '#domain/scheduling/build-changes.ts';
import type { CheckStore } from '#flows/checks/ports.ts';
import { fillCheck, fillStep, type OperationFilled, type OperationRequest } from './fill-secrets.ts';
import type { BuildStore } from './ports.ts';
import type { TeamSecrets } from './session-ports.ts';

export interface FetchSecretsPorts {
  secrets: TeamSecrets;
  builds: Pick<BuildStore, 'attemptFacts'>;
  checks: Pick<CheckStore, 'runFacts'>;
  /** Address of the installation. Absent: the installation has none. */
  externalUrl?: string | undefined;
}

/** `over`: the build or run has ended. `unknown`: it has no such operation. */
export type OperationAnswer = SecretsResponse | { answer: 'over' | 'unknown' };

/**
 * Fills in one operation of the agent's work with the current values of its secrets. If a store of secrets
 * does not answer, the agent waits and asks again.
 */
export async function fetchSecrets(
  session: WorkSession,
  { operation, given = {} }: SecretsRequest,
  ports: FetchSecretsPorts,
): Promise<OperationAnswer> {
  const request = { id: operation, given: new Map(Object.entries(given)) };
  const filled = await fill(session, request, ports);
  return filled.answer === 'unavailable' ? { answer: 'wait', reason: filled.reason } : filled;
}

async function fill(
  session: WorkSession,
  request: OperationRequest,
  { secrets, builds, checks, externalUrl }: FetchSecretsPorts,
): Promise<OperationFilled | { answer: 'over' }> {
  if (session.kind === 'build') {
    const facts = await builds.attemptFacts(session.build, session.attempt);
    // A build that is being cancelled is active, so its hooks get their secrets.
    return facts === undefined || !isActive(facts.status)
      ? { answer: 'over' }
      : await fillStep(facts, request, secrets, { externalUrl });
  }
  const facts = await checks.runFacts(session.run);
  return facts === undefined ? { answer: 'over' } : await fillCheck(facts, request, secrets);
}
