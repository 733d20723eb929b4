import { expect, test } from '@jest/globals';
import { createLog } from '#adapters/telemetry/log.ts';
import { RequestLog } from './request-log.ts';

function requestLog(level = 'trace') {
  const lines: string[] = [];
  const whole = createLog(level, 'test', { write: (line) => void lines.push(line) });
  const log = new RequestLog(whole, { requestId: 'one' });
  return { log, written: () => lines.map((line): Record<string, unknown> => JSON.parse(line)) };
}

test.each(['fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const)(
  '%s writes the request id and otherwise what the log itself would write',
  (level) => {
    const { log, written } = requestLog();
    log[level]('a text');
    log[level]({ token: 'hunter2', count: 2 }, 'with fields');
    expect(written()).toMatchObject([
      { level, requestId: 'one', msg: 'a text' },
      { level, requestId: 'one', token: '[hidden]', count: 2, msg: 'with fields' },
    ]);
  },
);

test('a message below the level is not written', () => {
  const { log, written } = requestLog('warn');
  log.info('a text');
  log.silent();
  expect([log.level, written()]).toEqual(['warn', []]);
});

test('a child has its own fields and those of the request', () => {
  const { log, written } = requestLog();
  log.child({ part: 'two' }).info('a text');
  expect(written()).toMatchObject([{ requestId: 'one', part: 'two' }]);
});
