/** Anyone may set the annotation to any text. A time is much shorter. */
const MAX_CHARACTERS = 64;

/** The annotation `requestedAt` of a Pipeline, as the status repeats it in `observedRequestedAt`. */
export function observedRequest(requestedAt: string | undefined): string | undefined {
  return requestedAt?.slice(0, MAX_CHARACTERS);
}
