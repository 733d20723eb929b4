import { BackendTerminatedError, BackendTerminatedUnexpectedlyError, ConnectionError } from 'slonik';

/**
 * The connection failed, not the query: the same may work in a moment. Whether its writes were done cannot be
 * known.
 */
export class DatabaseAway extends Error {
  /** As Postgres calls it: connection_failure. */
  readonly code = '08006';

  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.name = 'DatabaseAway';
  }
}

/** Messages of the driver for errors that have no code. */
const SILENT = new Set(['timeout expired', 'Query read timeout']);

/**
 * The driver and slonik tell of lost connections in several ways; here it is one. Other errors stay as they
 * are.
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
