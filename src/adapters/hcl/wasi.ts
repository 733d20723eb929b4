import { randomFillSync } from 'node:crypto';

// Numbers and sizes of WASI preview 1 (wasi_snapshot_preview1).
const SUCCESS = 0;
const BAD_DESCRIPTOR = 8;
const NOT_SUPPORTED = 52;
const STDERR = 2;
const CLOCK = 0;
const SUBSCRIPTION_SIZE = 48;
const EVENT_SIZE = 32;

/** The engine has ended: out of memory, or a fatal fault of its runtime. */
export class EngineExit extends Error {}

/**
 * The system calls of Go's runtime: clocks, random numbers, polling of clocks, and output to stderr. There
 * are no files, arguments or environment variables, so the engine can access nothing. `node:wasi` is not
 * used, because it prints a warning at every start.
 */
export function systemCalls(memory: () => WebAssembly.Memory): {
  calls: Record<string, (...args: never[]) => number>;
  /** What the runtime wrote to stderr. After a fatal fault, this is the cause. */
  stderr: () => string;
} {
  const view = () => new DataView(memory().buffer);
  let stderr = '';
  // The last parameters of a call are the addresses at which it writes its results.
  const writeZeros = (countAddress: number, sizeAddress: number): number => {
    view().setUint32(countAddress, 0, true);
    view().setUint32(sizeAddress, 0, true);
    return SUCCESS;
  };
  const write = (descriptor: number, vectors: number, length: number, written: number): number => {
    let total = 0;
    for (let i = 0; i < length; i++) {
      const address = view().getUint32(vectors + 8 * i, true);
      const size = view().getUint32(vectors + 8 * i + 4, true);
      if (descriptor === STDERR && stderr.length < 2000) {
        stderr += new TextDecoder().decode(new Uint8Array(memory().buffer, address, size));
      }
      total += size;
    }
    view().setUint32(written, total, true);
    return SUCCESS;
  };
  const calls = {
    args_sizes_get: writeZeros,
    args_get: () => SUCCESS,
    environ_sizes_get: writeZeros,
    environ_get: () => SUCCESS,
    clock_time_get: (_clock: number, _precision: bigint, result: number) => {
      view().setBigUint64(result, process.hrtime.bigint(), true);
      return SUCCESS;
    },
    random_get: (address: number, size: number) => {
      randomFillSync(new Uint8Array(memory().buffer, address, size));
      return SUCCESS;
    },
    fd_write: write,
    fd_prestat_get: () => BAD_DESCRIPTOR,
    poll_oneoff: (subscriptions: number, events: number, length: number, expired: number) => {
      view().setUint32(expired, expireClocks(view(), subscriptions, events, length), true);
      return SUCCESS;
    },
    sched_yield: () => SUCCESS,
    proc_exit: (code: number) => {
      throw new EngineExit(`exit code ${code}`);
    },
  };
  return { calls, stderr: () => stderr };
}

/**
 * Writes an event for each subscription to a clock, as if its time were up. So the runtime never blocks here;
 * it checks the time itself. Returns the number of events.
 */
function expireClocks(view: DataView, subscriptions: number, events: number, length: number): number {
  let count = 0;
  for (let i = 0; i < length; i++) {
    const subscription = subscriptions + SUBSCRIPTION_SIZE * i;
    if (view.getUint8(subscription + 8) !== CLOCK) continue;
    const event = events + EVENT_SIZE * count++;
    new Uint8Array(view.buffer, event, EVENT_SIZE).fill(0);
    view.setBigUint64(event, view.getBigUint64(subscription, true), true);
  }
  return count;
}

/**
 * Returns the imports of the module: `calls`, and for each other system call a function that returns "not
 * supported".
 */
export function completeImports(
  module: WebAssembly.Module,
  calls: Record<string, (...args: never[]) => number>,
): WebAssembly.Imports {
  const imports: WebAssembly.Imports = {};
  for (const { module: name, name: call } of WebAssembly.Module.imports(module)) {
    imports[name] ??= {};
    imports[name][call] = calls[call] ?? (() => NOT_SUPPORTED);
  }
  return imports;
}
