/**
 * An error whose message is for people: it says what happened and what to do, and is shown without a stack.
 */
export class Explained extends Error {}

/** An error whose message is for people. */
export function explain(message: string): Explained {
  return new Explained(message);
}

/** The message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
