import type { DatabasePool } from 'slonik';
import type { TestStores } from '#testing/stores/stores.ts';
import type { MeasuredGateway } from './gateway.ts';

/** One measurement. It creates the data that it needs in the shared database. No other part uses them. */
export interface Part {
  /** The name that `--only` takes. */
  name: string;
  /** Measures and returns rows of name, figure and aim. */
  measure(environment: PartEnvironment): Promise<string[][]>;
}

/** What all parts get: a migrated Postgres that uses fsync, and a way to start gateways. */
export interface PartEnvironment {
  pool: DatabasePool;
  stores: Omit<TestStores, 'url' | 'pool' | 'empty' | 'close'>;
  databaseUrl: string;
  /** Starts a gateway that `make dist` has built; the caller must stop or kill it. */
  startGateway: () => Promise<MeasuredGateway>;
}

/** The aim, marked if it was missed. */
export const verdict = (aim: string, reached: boolean): string => `${aim}${reached ? '' : ': **missed**'}`;

/** Rounds to one decimal below 10, otherwise to whole numbers. */
export const digits = (value: number): string => value.toFixed(value < 10 ? 1 : 0);
