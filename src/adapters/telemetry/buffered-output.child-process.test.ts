import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';

const run = promisify(execFile);
const LINE = "{ requestId: 'one', method: 'GET', route: '/a', status: 200, milliseconds: 1 }";

/** What a process writes to its standard output that says this. */
async function written(code: string): Promise<unknown[]> {
  const from = new URL('log.ts', import.meta.url).href;
  const script = `import { accessLog, createLog } from '${from}';
    const log = createLog('info', 'test'); const write = accessLog(log); const line = ${LINE}; ${code}`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script]);
  return stdout
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line).msg);
}

test('lines are written in the order in which they were said', async () => {
  expect(await written(`write(line); log.info('between'); write(line);`)).toEqual([
    'answered',
    'between',
    'answered',
  ]);
});

test.each(['process.exit(0)', 'setImmediate(() => process.exit(0))'])(
  'what was said last is written when the process ends by %s',
  async (end) => {
    const lines = await written(`write(line); write(line); ${end};`);
    expect(lines).toEqual(['answered', 'answered']);
  },
);

test('more than a pipe holds is written to its last line when the process ends', async () => {
  const lines = await written('for (let count = 0; count < 5000; count += 1) write(line); process.exit(0);');
  expect(lines).toHaveLength(5000);
});
