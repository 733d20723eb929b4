/** An error with a message for people: what happened and what to do. Shown without a stack. */
export class Explained extends Error {}

/** An error whose message is for people. */
export function explained(message: string): Explained {
  return new Explained(message);
}

/** The message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return Error.isError(error) ? error.message : String(error);
}
