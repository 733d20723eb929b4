import { readNonce } from './nonce.ts';
import { hashKey } from './sessions.ts';
import type { Credentials } from '#flows/session-ports.ts';

export function agentCredentials(agentKey: Buffer): Credentials {
  return { workOf: (nonce) => readNonce(agentKey, nonce), hashOf: hashKey };
}
