import type { AgentCredentials } from '#flows/builds/session-ports.ts';
import { readNonce } from './nonce.ts';
import { hashKey } from './sessions.ts';

export function agentCredentials(agentKey: Buffer): AgentCredentials {
  return { workOf: (nonce) => readNonce(agentKey, nonce), hashOf: hashKey };
}
