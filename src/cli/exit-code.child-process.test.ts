import { execFile } from 'node:child_process';
import { env } from 'node:process';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { BUILT_PROGRAM } from '#testing/process/built-program.ts';

const FILES = ['src/cli/testdata/good.hcl', 'config/samples/pipeline.yaml'];
const LANES = 4;
const RUNS_PER_LANE = 5;

const run = promisify(execFile);

/** Rejects if the exit code is not 0. */
async function validate(): Promise<string> {
  const { PATH, HOME, MILLRACE_CACHE, XDG_CACHE_HOME } = env;
  const { stdout, stderr } = await run(process.execPath, [BUILT_PROGRAM, 'validate', ...FILES], {
    env: { PATH, HOME, MILLRACE_CACHE, XDG_CACHE_HOME },
  });
  return stdout + stderr;
}

// Under load, Node can exit with code 13 (unsettled top-level await) and no output while a command waits for
// its child process.
test('validating two files exits with 0 each time, with four processes at once', async () => {
  const lane = async (): Promise<string[]> => {
    const outputs = [];
    for (let count = 0; count < RUNS_PER_LANE; count += 1) outputs.push(await validate());
    return outputs;
  };
  const outputs = (await Promise.all(Array.from({ length: LANES }, lane))).flat();
  expect(outputs).toHaveLength(LANES * RUNS_PER_LANE);
  expect([...new Set(outputs)]).toEqual([
    expect.stringMatching(
      /^src\/cli\/testdata\/good\.hcl: valid, .*\nconfig\/samples\/pipeline\.yaml, .*: valid, .*\n$/,
    ),
  ]);
});
