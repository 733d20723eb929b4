import type { EventsResponse, SessionConfirmation, SessionResponse } from '#domain/build/agent-protocol.ts';

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Checks enough to detect a gateway of another version. The rest is trusted. */
export function isSession(value: unknown): value is SessionResponse {
  if (!isObject(value)) return false;
  const work = value['work'] === 'build' ? value['plan'] : value['run'];
  return isObject(work) && work['format'] === 1 && Array.isArray(work['containers']);
}

export function isConfirmation(value: unknown): value is SessionConfirmation {
  if (!isObject(value)) return false;
  return value['confirmed'] === true || (value['confirmed'] === false && typeof value['status'] === 'number');
}

export function isEventsResponse(value: unknown): value is EventsResponse {
  return isObject(value) && typeof value['acknowledged'] === 'number';
}

export function isCancel(line: string): boolean {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) && value['command'] === 'cancel';
  } catch {
    return false;
  }
}
