/** The time between two dates in nanoseconds, the unit of durations in the API. */
export function nanoseconds(from: Date, to: Date): number {
  return (to.getTime() - from.getTime()) * 1_000_000;
}
