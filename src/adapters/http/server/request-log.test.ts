import { expect, test } from '@jest/globals';
import { createLog } from '#adapters/telemetry/log.ts';
import { RequestLog } from './request-log.ts';

function requestLog(level = 'trace') {
  const lines: string[] = [];
  const parentLog = createLog(level, 'test', { write: (line) => void lines.push(line) });
  const log = new RequestLog(parentLog, { requestId: 'one' });
  return { log, writtenLines: () => lines.map((line): Record<string, unknown> => JSON.parse(line)) };
}

test.each(['fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const)(
  '%s writes the request id and otherwise what the log itself would write',
  (level) => {
    const { log, writtenLines } = requestLog();
    log[level]('a text');
    log[level]({ token: 'hunter2', count: 2 }, 'with fields');
    expect(writtenLines()).toMatchObject([
      { level, requestId: 'one', msg: 'a text' },
      { level, requestId: 'one', token: '[hidden]', count: 2, msg: 'with fields' },
    ]);
  },
);

test('a message below the level is not written', () => {
  const { log, writtenLines } = requestLog('warn');
  log.info('a text');
  log.silent();
  expect([log.level, writtenLines()]).toEqual(['warn', []]);
});

test('a child has its own fields and those of the request', () => {
  const { log, writtenLines } = requestLog();
  log.child({ part: 'two' }).info('a text');
  expect(writtenLines()).toMatchObject([{ requestId: 'one', part: 'two' }]);
});
