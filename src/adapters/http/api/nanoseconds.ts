/** How long it took, as durations are told over the API. */
export function nanoseconds(from: Date, to: Date): number {
  return (to.getTime() - from.getTime()) * 1_000_000;
}
