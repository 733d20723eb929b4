import type {
  DebugWork,
  EventsResponse,
  IdentityTokensResponse,
  SecretsResponse,
  SessionConfirmation,
  SessionResponse,
} from '#domain/build/agent-protocol.ts';

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/**
 * Checks enough fields, such as the format of the plan, to detect a gateway of another version. Trusts the
 * other fields.
 */
export function isSession(value: unknown): value is SessionResponse {
  if (!isObject(value)) return false;
  if (value['work'] === 'wait') return true;
  const isBuild = value['work'] === 'build';
  const work = isBuild ? value['plan'] : value['run'];
  return isObject(work) && work['format'] === (isBuild ? 3 : 2) && Array.isArray(work['containers']);
}

export function isConfirmation(value: unknown): value is SessionConfirmation {
  if (!isObject(value)) return false;
  return value['confirmed'] === true || (value['confirmed'] === false && typeof value['status'] === 'number');
}

export function isEventsResponse(value: unknown): value is EventsResponse {
  return isObject(value) && typeof value['acknowledged'] === 'number';
}

export function isSecrets(value: unknown): value is SecretsResponse {
  if (!isObject(value)) return false;
  if (value['answer'] === 'wait') return typeof value['reason'] === 'string';
  if (value['answer'] === 'run') return Array.isArray(value['gets']) && Array.isArray(value['masks']);
  return value['answer'] === 'filled' && isObject(value['operation']) && Array.isArray(value['masks']);
}

/** Returns undefined if the value comes from a gateway of another version. */
export function identityTokensOf(value: unknown): IdentityTokensResponse | undefined {
  if (!isObject(value)) return undefined;
  const { tokens, refused } = value;
  if (typeof refused === 'string') return { refused };
  if (!isObject(tokens)) return undefined;
  const namedTokens = Object.entries(tokens).flatMap(([name, token]) =>
    typeof token === 'string' ? [[name, token] as const] : [],
  );
  return { tokens: Object.fromEntries(namedTokens) };
}

/** Returns the name of the gateway's command in a line of JSON, or undefined if the line holds none. */
export function gatewayCommandOf(line: string): unknown {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value['command'] : undefined;
  } catch {
    return undefined;
  }
}

export function isDebugWork(value: unknown): value is DebugWork {
  return isObject(value) && Array.isArray(value['sessions']);
}
