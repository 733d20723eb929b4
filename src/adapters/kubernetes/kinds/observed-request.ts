/** Limit of the stored value. A time is much shorter, but users can set the annotation to any text. */
const MAX_CHARACTERS = 64;

/**
 * The value that `observedRequestedAt` in the status of a Pipeline gets from the annotation `requestedAt`.
 */
export function observedRequest(requestedAt: string | undefined): string | undefined {
  return requestedAt?.slice(0, MAX_CHARACTERS);
}
