import { describe, expect, test } from '@jest/globals';
import { createLog } from './log.ts';
import type { Log } from './log.ts';

function logged(write: (log: Log) => void): { line: string; fields: Record<string, unknown> } {
  const lines: string[] = [];
  write(createLog('trace', 'test', { write: (line) => void lines.push(line) }));
  const line = lines.join('');
  return { line, fields: JSON.parse(line) };
}

describe('a line of the log', () => {
  test('has the level as a word, the time and the door', () => {
    expect(logged((log) => log.info('said')).fields).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      door: 'test',
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
  ])('hides the value of %s, wherever a caller put it', (key) => {
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

  test('hides the token of a webhook in every text, and leaves the pattern of the route', () => {
    const err = new Error('POST https://ci.example.org/webhooks/hunter2?x=1 failed', {
      cause: new Error('/webhooks/hunter2'),
    });
    const { line } = logged((log) =>
      log.warn({ err, url: '/webhooks/hunter2', route: '/webhooks/:token' }, 'at /webhooks/hunter2'),
    );
    expect(line).not.toContain('hunter2');
    expect(line).toContain('"route":"/webhooks/:token"');
  });

  test('is one line, whatever was said: nothing ends it, moves a terminal or turns the direction of text', () => {
    const said = 'a\r\n{"level":"fatal"}\u0007\u001b[2J\u007f\u009b31m\u2028\u2029\u202e\u2066\ufeffz';
    const { line, fields } = logged((log) => log.info({ said, [said]: 1 }, said));
    expect(fields['said']).toBe(said);
    expect(fields['msg']).toBe(said);
    expect(line.slice(0, -1)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    expect(line.endsWith('}\n')).toBe(true);
  });
});
