import { describe, expect, test } from '@jest/globals';
import { accessLog, createLog, type Log } from './log.ts';

function logged(write: (log: Log) => void): { line: string; fields: Record<string, unknown> } {
  const lines: string[] = [];
  write(createLog('trace', 'test', { write: (line) => void lines.push(line) }));
  const line = lines.join('');
  return { line, fields: JSON.parse(line) };
}

describe('a log line', () => {
  test('has the level as a word, the time and the component', () => {
    expect(logged((log) => log.info('said')).fields).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      component: 'test',
      msg: 'said',
    });
  });

  test.each([
    'authorization',
    'cookie',
    'set-cookie',
    'x-csrf-token',
    'x-hub-signature-256',
    'x-gitlab-token',
    'password',
    'token',
    'webhook_token',
    'profile_token',
    'client_secret',
    'secret',
    'connectionString',
  ])('never contains the value of %s', (key) => {
    for (const fields of [
      { [key]: 'hunter2' },
      { headers: { [key]: 'hunter2' } },
      { request: { headers: { [key]: 'hunter2' } } },
    ]) {
      const { line } = logged((log) => log.info(fields, 'said'));
      expect(line).not.toContain('hunter2');
      expect(line).toContain('[hidden]');
    }
  });

  test("hides webhook tokens in every text, and keeps the route's pattern", () => {
    const err = new Error('POST https://ci.example.org/webhooks/hunter2?x=1 failed', {
      cause: new Error('/webhooks/hunter2'),
    });
    const { line } = logged((log) =>
      log.warn({ err, url: '/webhooks/hunter2', route: '/webhooks/:token' }, 'at /webhooks/hunter2'),
    );
    expect(line).not.toContain('hunter2');
    expect(line).toContain('"route":"/webhooks/:token"');
  });

  test('is one line without control and bidirectional characters, whatever was logged', () => {
    const text = 'a\r\n{"level":"fatal"}\u0007\u001b[2J\u007f\u009b31m\u2028\u2029\u202e\u2066\ufeffz';
    const { line, fields } = logged((log) => log.info({ said: text, [text]: 1 }, text));
    expect(fields['said']).toBe(text);
    expect(fields['msg']).toBe(text);
    expect(line.slice(0, -1)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    expect(line.endsWith('}\n')).toBe(true);
  });
});

const withoutTime = (line: string): string => line.replace(/"time":"[^"]*"/, '');

describe('the access log', () => {
  const LINE = {
    requestId: 'from-the-proxy.0123456789_ABC',
    method: 'M-SEARCH',
    route: '/webhooks/:token',
    status: 404,
    milliseconds: 0.3,
  };

  test('writes the same line as `log.info` with the same fields', () => {
    const accessLine = logged((log) => accessLog(log)(LINE)).line;
    const infoLine = logged((log) => log.info(LINE, 'answered')).line;
    expect(JSON.parse(accessLine).time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(withoutTime(accessLine)).toBe(withoutTime(infoLine));
  });

  test.each([
    ['info', { ...LINE, status: 503 }, 'error'],
    ['trace', { ...LINE, route: '/health' }, 'debug'],
    ['info', LINE, 'info'],
  ])('of a logger at level %s writes %j at the level %s', (level, answer, expected) => {
    const lines: string[] = [];
    const log = createLog(level, 'test', { write: (line) => void lines.push(line) });
    accessLog(log)(answer);
    expect(lines.map((line): unknown => JSON.parse(line).level)).toEqual([expected]);
  });

  test.each([
    ['warn', LINE],
    ['info', { ...LINE, route: '/health' }],
  ])('is silent at level %s for %j', (level, answer) => {
    const lines: string[] = [];
    accessLog(createLog(level, 'test', { write: (line) => void lines.push(line) }))(answer);
    expect(lines).toEqual([]);
  });
});
