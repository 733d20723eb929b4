import { BackendTerminatedError, BackendTerminatedUnexpectedlyError, ConnectionError } from 'slonik';

/**
 * The connection failed, not the query: a retry may work. It is unknown whether the query's writes were
 * committed.
 */
export class DatabaseAway extends Error {
  /** Postgres' code for `connection_failure`. */
  readonly code = '08006';

  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.name = 'DatabaseAway';
  }
}

/** Errors of the driver that have a message but no code. */
const SILENT = new Set(['timeout expired', 'Query read timeout']);

/**
 * Turns the several errors of pg and slonik for a lost connection into one. Returns other errors unchanged.
 */
export function asAway(error: unknown): unknown {
  return isAway(error) ? new DatabaseAway(`The database does not answer: ${error.message}`, error) : error;
}

function isAway(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  return (
    error instanceof ConnectionError ||
    error instanceof BackendTerminatedError ||
    error instanceof BackendTerminatedUnexpectedlyError ||
    SILENT.has(error.message)
  );
}
