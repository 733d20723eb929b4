import type { DatabasePool } from 'slonik';
import type { TestStores } from '#testing/stores/stores.ts';
import type { Gateway } from './gateway.ts';

/** One thing that is measured; its data are its own, the database is shared. */
export interface Part {
  /** For `--only`. */
  name: string;
  /** Rows of name, figure and aim. */
  measure(ground: Ground): Promise<string[][]>;
}

/** What every part has: a Postgres with fsync, the schema in it, and gateways as they are shipped. */
export interface Ground {
  pool: DatabasePool;
  stores: Omit<TestStores, 'url' | 'pool' | 'empty' | 'close'>;
  databaseUrl: string;
  /** Whoever starts one stops it. */
  startGateway: () => Promise<Gateway>;
}

/** How a figure stands to its aim. */
export const verdict = (aim: string, reached: boolean): string => `${aim}${reached ? '' : ': **missed**'}`;

/** With one digit where it matters. */
export const digits = (value: number): string => value.toFixed(value < 10 ? 1 : 0);
