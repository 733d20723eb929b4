import { BackendTerminatedError, BackendTerminatedUnexpectedlyError, ConnectionError } from 'slonik';

/** The connection failed, not the query: a retry may work. The query's writes may have been committed. */
export class DatabaseUnavailable extends Error {
  /** Postgres' code for `connection_failure`. */
  readonly code = '08006';

  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.name = 'DatabaseUnavailable';
  }
}

/** Errors of the driver that have a message but no code. */
const MESSAGES_WITHOUT_CODE = new Set(['timeout expired', 'Query read timeout']);

/**
 * Turns the errors of pg and slonik for a lost connection into `DatabaseUnavailable`. Returns others
 * unchanged.
 */
export function asUnavailable(error: unknown): unknown {
  return isConnectionLost(error)
    ? new DatabaseUnavailable(`The database does not answer: ${error.message}`, error)
    : error;
}

function isConnectionLost(error: unknown): error is Error {
  if (!Error.isError(error)) return false;
  return (
    error instanceof ConnectionError ||
    error instanceof BackendTerminatedError ||
    error instanceof BackendTerminatedUnexpectedlyError ||
    MESSAGES_WITHOUT_CODE.has(error.message)
  );
}
