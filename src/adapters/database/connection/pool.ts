import { setTimeout as sleep } from 'node:timers/promises';
import { defaults } from 'pg';
import { createPool, sql, type DatabasePool, type DatabaseTransactionConnection } from 'slonik';
import { defined } from '#defined';
import { limitCalls } from './pool-queue.ts';
import { parseDatabaseUrl } from './url.ts';

/** The server ends a statement after this time. */
const STATEMENT_MS = 30_000;
/**
 * A server that does not answer within this time counts as lost, for example because its node failed. TCP
 * would retry for 15 minutes. Slonik has no option for this timeout, so `connect` sets the driver's default.
 */
const QUERY_MS = STATEMENT_MS + 5000;

export type Transaction = DatabaseTransactionConnection;

/** What every store needs: connections and, in the process of the leader, the leader epoch. */
export interface Database {
  pool: DatabasePool;
  /** Absent: this process is not the leader, and its writes need no epoch. */
  epoch?: () => number;
}

export interface PoolOptions {
  /** Certificate authority (PEM). Replaces the `sslrootcert` of the URL. */
  certificateAuthority?: string | undefined;
  /** 10 by default. */
  maximumConnections?: number;
  /**
   * Called before `openPool` tries again to connect, and when an idle connection breaks. The pool replaces a
   * broken connection.
   */
  onError?: (error: Error) => void;
  /** How long `openPool` tries to connect; 60 s by default. */
  connectTimeoutMilliseconds?: number;
  /** How long a query waits for a free connection; 30 s by default. */
  queueTimeoutMilliseconds?: number;
  /**
   * How long a query waits for its answer; 35 s by default. Applies to all connections that this process
   * opens later, even those of other pools.
   */
  queryTimeoutMilliseconds?: number;
}

/**
 * Opens the connections of one process. A statement must leave nothing behind in its session: no SET, session
 * lock, temporary table or LISTEN. Connections return to the pool without a reset, and a transaction pooler
 * may share them among processes.
 */
export async function openPool(url: string, options: PoolOptions = {}): Promise<DatabasePool> {
  const deadline = performance.now() + (options.connectTimeoutMilliseconds ?? 60_000);
  for (let waitMs = 100; ; waitMs = Math.min(waitMs * 2, 5000)) {
    try {
      return await connect(url, options);
    } catch (error) {
      if (!Error.isError(error) || performance.now() + waitMs > deadline) throw error;
      options.onError?.(error);
      await sleep(waitMs);
    }
  }
}

async function connect(url: string, options: PoolOptions): Promise<DatabasePool> {
  const maxCalls = options.maximumConnections ?? 10;
  defaults.query_timeout = options.queryTimeoutMilliseconds ?? QUERY_MS;
  const parsed = parseDatabaseUrl(url, options.certificateAuthority);
  const pool = await createPool(parsed.url, {
    ...defined({ ssl: parsed.ssl }),
    // Never reached: `limitCalls` admits half as many calls.
    maxPoolSize: maxCalls * 2,
    minPoolSize: 1,
    idleTimeout: 10 * 60_000,
    // `DISCARD ALL` at each release would cost a third of all queries.
    resetConnection: () => Promise.resolve(),
    statementTimeout: STATEMENT_MS,
    idleInTransactionSessionTimeout: 30_000,
    typeParsers: [
      { name: 'int8', parse: Number },
      { name: 'numeric', parse: Number },
      { name: 'timestamptz', parse: (value) => new Date(value) },
      { name: 'date', parse: (value) => value },
    ],
  });
  pool.on('error', (error) => options.onError?.(error));
  return limitCalls(pool, {
    maxCalls,
    timeoutMilliseconds: options.queueTimeoutMilliseconds ?? STATEMENT_MS,
  });
}

interface RowSchema<T> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: () => { readonly issues: readonly { readonly message: string }[] };
    readonly types?: { readonly input: unknown; readonly output: T };
  };
}

function rowSchema<T>(): RowSchema<T> {
  return {
    '~standard': {
      version: 1,
      vendor: 'millrace',
      validate: () => ({ issues: [{ message: 'Rows are typed by their query and proven by the tests.' }] }),
    },
  };
}

/** Template tag of a query whose rows have the type `T`. */
export const rows = <T>(): ReturnType<typeof sql.type<RowSchema<T>>> => sql.type(rowSchema<T>());

/**
 * Template tag of a query that Postgres prepares, so that it does not plan the query each time. For queries
 * that run for each build or for each view of a build: planning them takes longer than running them. Queries
 * with different texts need different names.
 */
export const prepared = <T>(name: string): ReturnType<typeof sql.prepared<RowSchema<T>>> =>
  sql.prepared(name, rowSchema<T>());

/**
 * First argument of `pg_advisory_xact_lock(class, id)`. The id is the row id of the pipeline or team, or 0
 * for `access`.
 */
export const LOCK = { pipeline: 1, team: 2, access: 3 } as const;

/** Bigint array parameter. */
export const ids = (values: readonly number[]) => sql.array([...values], 'int8');
export const textArray = (values: readonly string[]) => sql.array([...values], 'text');
/** Timestamp parameter. */
export const timestamp = (at: Date) => sql.fragment`${at.toISOString()}::timestamptz`;
