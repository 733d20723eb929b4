import { ModernFakeTimers } from '@jest/fake-timers';

/*
 * What test files get from `@jest/globals`: the globals that jest-light-runner makes, plus what it leaves
 * out: a time limit and short stacks of errors for each `test` and `test.each`, and fake timers.
 */
type Run = (...cells: unknown[]) => unknown;
type Declare = (name: string, run: Run) => void;
type Each = (...table: unknown[]) => Declare;
interface RunnerGlobals {
  expect: unknown;
  describe: unknown;
  test: Declare & { each: Each; skip: unknown; only: unknown };
  beforeAll: unknown;
  beforeEach: unknown;
  afterAll: unknown;
  afterEach: unknown;
  jest: Record<string, unknown>;
}
const runner: RunnerGlobals = Object(globalThis);

export const { expect, describe, beforeAll, beforeEach, afterAll, afterEach } = runner;

/**
 * In milliseconds. The limit only ends a test that hangs; benchmarks measure speed. A file that sets the
 * limit also sets it for later files in the same worker.
 */
let maxTestTime = 600_000;
/** The real timers, even while a test uses fake ones. */
const { setTimeout: startTimer, clearTimeout: stopTimer } = globalThis;

/**
 * Node's default limit on the calls that the stack of an error records. hcl2-parser removes the limit for the
 * whole worker, and `expect` creates an error at each call: a test file with deep recursion then takes 84 s
 * instead of 1 s.
 */
const STACK_FRAMES = 10;

function withLimits(run: Run): Run {
  const limit = maxTestTime;
  return async (...cells) => {
    Error.stackTraceLimit = STACK_FRAMES;
    const { promise: late, reject } = Promise.withResolvers();
    const fail = () => reject(new Error(`The test did not end within ${limit / 1000} seconds.`));
    const timer = startTimer(fail, limit);
    try {
      return await Promise.race([run(...cells), late]);
    } finally {
      stopTimer(timer);
    }
  };
}

export const test = Object.assign((name: string, run: Run) => runner.test(name, withLimits(run)), {
  skip: runner.test.skip,
  only: runner.test.only,
  each:
    (...table: unknown[]): Declare =>
    (name, run) =>
      runner.test.each(...table)(name, withLimits(run)),
});

type FakeTimersConfig = NonNullable<Parameters<ModernFakeTimers['useFakeTimers']>[0]>;
const NO_CONFIG: ConstructorParameters<typeof ModernFakeTimers>[0]['config'] =
  JSON.parse('{ "fakeTimers": {} }');
const timers = new ModernFakeTimers({ config: NO_CONFIG, global: globalThis });

export const jest = {
  ...runner.jest,
  setTimeout: (milliseconds: number) => void (maxTestTime = milliseconds),
  useFakeTimers: (config?: FakeTimersConfig) => timers.useFakeTimers(config),
  useRealTimers: () => timers.useRealTimers(),
  setSystemTime: (now?: number | Date) => timers.setSystemTime(now),
  advanceTimersByTime: (milliseconds: number) => timers.advanceTimersByTime(milliseconds),
  advanceTimersByTimeAsync: (milliseconds: number) => timers.advanceTimersByTimeAsync(milliseconds),
};
