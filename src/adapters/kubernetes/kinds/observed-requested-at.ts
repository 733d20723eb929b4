/** Limit of the stored value. A time is much shorter, but users can set the annotation to any text. */
const MAX_CHARACTERS = 64;

/**
 * The value of `observedRequestedAt` in the status of a Pipeline. `requestedAt`: the annotation with which a
 * user asked the operator to apply the Pipeline again.
 */
export function observedRequestedAt(requestedAt: string | undefined): string | undefined {
  return requestedAt?.slice(0, MAX_CHARACTERS);
}
