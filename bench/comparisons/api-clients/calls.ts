/** The calls that every measured client implements. A call rejects if the client reports an error. */
export interface Calls {
  get(name: string): Promise<unknown>;
  /** Lists all ConfigMaps of a namespace in pages of `PAGE` and returns their number. */
  list(namespace: string): Promise<number>;
  apply(name: string, text: string): Promise<unknown>;
  /** Updates the object with an outdated resource version. */
  replaceStale(name: string): Promise<unknown>;
}

/** A task for a contestant, sent to its process as a line of JSON. */
export interface Task {
  id: number;
  kind: 'get one by one' | 'get at once' | 'list' | 'apply' | 'ask';
  /** Number of requests of a task that makes many. `list` and `ask` make one call. */
  count: number;
  /** For `ask`: the call, its server and its argument. */
  call?: 'get' | 'list' | 'replaceStale';
  server?: 'real' | 'faulty';
  argument?: string;
}

/** The result of a task. The first report of a program has the id 0: the program is loaded and ready. */
export interface Report {
  id: number;
  ms: number;
  cpuMs: number;
  /** Milliseconds of each request; empty for `list` and `ask`. */
  samples: number[];
  /** `done`, a number of objects, for `ask` the start of the returned value; after a failure, the error. */
  outcome: string;
}

export const NAMESPACE = 'measure';
export const PAGE = 500;
export const nameOf = (index: number): string => `object-${index}`;
