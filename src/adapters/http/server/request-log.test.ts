import { expect, test } from '@jest/globals';
import { createLog } from '#adapters/telemetry/log.ts';
import { RequestLog } from './request-log.ts';

function requestLog(level = 'trace') {
  const lines: string[] = [];
  const whole = createLog(level, 'test', { write: (line) => void lines.push(line) });
  const log = new RequestLog(whole, { requestId: 'one' });
  return { log, said: () => lines.map((line): Record<string, unknown> => JSON.parse(line)) };
}

test.each(['fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const)(
  '%s is said with the name of the request, as the log itself would',
  (level) => {
    const { log, said } = requestLog();
    log[level]('a text');
    log[level]({ token: 'hunter2', count: 2 }, 'with fields');
    expect(said()).toMatchObject([
      { level, requestId: 'one', msg: 'a text' },
      { level, requestId: 'one', token: '[hidden]', count: 2, msg: 'with fields' },
    ]);
  },
);

test('what is below the level is not said', () => {
  const { log, said } = requestLog('warn');
  log.info('a text');
  log.silent();
  expect([log.level, said()]).toEqual(['warn', []]);
});

test('a child has its names too', () => {
  const { log, said } = requestLog();
  log.child({ part: 'two' }).info('a text');
  expect(said()).toMatchObject([{ requestId: 'one', part: 'two' }]);
});
