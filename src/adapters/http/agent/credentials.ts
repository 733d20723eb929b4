import { readNonce } from '#adapters/crypto/agent-nonce.ts';
import type { AgentCredentials } from '#flows/builds/session-ports.ts';
import { hashKey } from './sessions.ts';

export function agentCredentials(agentKey: Buffer): AgentCredentials {
  return { workOf: (nonce) => readNonce(agentKey, nonce), hashOf: hashKey };
}
