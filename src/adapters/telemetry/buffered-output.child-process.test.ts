import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';

const run = promisify(execFile);
const ACCESS_LINE = "{ requestId: 'one', method: 'GET', route: '/a', status: 200, milliseconds: 1 }";

/** The messages that a process writes to its standard output when it runs this code. */
async function messagesOf(code: string): Promise<unknown[]> {
  const logModule = new URL('log.ts', import.meta.url).href;
  const script = `import { accessLog, createLog } from '${logModule}';
    const log = createLog('info', 'test'); const write = accessLog(log); const line = ${ACCESS_LINE}; ${code}`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script]);
  return stdout
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line).msg);
}

test('lines of both logs are written in the order of the calls', async () => {
  expect(await messagesOf(`write(line); log.info('between'); write(line);`)).toEqual([
    'answered',
    'between',
    'answered',
  ]);
});

test.each(['process.exit(0)', 'setImmediate(() => process.exit(0))'])(
  'the last line is written when the process ends by %s',
  async (end) => {
    const lines = await messagesOf(`write(line); write(line); ${end};`);
    expect(lines).toEqual(['answered', 'answered']);
  },
);

test('more lines than a pipe buffers are all written when the process ends', async () => {
  const lines = await messagesOf(
    'for (let count = 0; count < 5000; count += 1) write(line); process.exit(0);',
  );
  expect(lines).toHaveLength(5000);
});
