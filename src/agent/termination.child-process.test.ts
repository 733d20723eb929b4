import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { parseTermination } from '#domain/build/parse-termination.ts';
import { encodeTermination, writeTermination, type StepEnd, type Termination } from './termination.ts';

const succeeded = (step: string, more: Partial<StepEnd> = {}): StepEnd => ({
  step,
  sequence: Number(step) + 10,
  exitCode: 0,
  status: 'succeeded',
  ...more,
});
const TERMINATION: Termination = {
  outcome: 'failed',
  reason: 'StepFailed',
  message: 'Step unit: exit code 1.',
  ends: [succeeded('0'), succeeded('1', { exitCode: null, status: 'cancelled' })],
  acknowledgedSequence: 7,
};

function writeAndParse(more: Partial<Termination>) {
  const text = encodeTermination({ ...TERMINATION, ...more });
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4096);
  return parseTermination(text);
}

const largeVersion = (letters: number): Record<string, string> => ({ ref: 'v'.repeat(letters) });

describe('the termination message', () => {
  test('has the same content after it was written and parsed', () => {
    expect(writeAndParse({})).toEqual({
      format: 1,
      outcome: 'failed',
      reason: 'StepFailed',
      message: 'Step unit: exit code 1.',
      exits: { '0': 0, '1': null },
      statuses: { '1': 'cancelled' },
      acknowledged: 7,
    });
  });

  test('names versions that the gateway has not acknowledged, and each put that made none', () => {
    const ends = [
      succeeded('0', { version: { ref: 'a' } }),
      succeeded('1', { version: { ref: 'b' } }),
      succeeded('2', { version: {} }),
    ];
    expect(writeAndParse({ ends, acknowledgedSequence: 10 })?.versions).toEqual({
      '1': { ref: 'b' },
      '2': {},
    });
  });

  test.each(['x', 'ä', '"', '🗝'])('shortens a long sentence of %j and keeps the exit codes', (letter) => {
    const read = writeAndParse({ message: letter.repeat(5000) });
    expect(read).toMatchObject({ exits: { '0': 0, '1': null }, acknowledged: 7 });
    expect(read?.message.length).toBeGreaterThan(500);
  });

  test('shortens the sentence to keep a version', () => {
    const read = writeAndParse({
      message: 'x'.repeat(2000),
      ends: [succeeded('0', { version: largeVersion(3800) })],
    });
    expect(read?.versions).toEqual({ '0': largeVersion(3800) });
    expect(read?.message.length).toBeLessThan(200);
  });

  test('drops a version that does not fit, and keeps the others and the sentence', () => {
    const ends = [
      succeeded('0', { version: largeVersion(100) }),
      succeeded('1', { version: largeVersion(5000) }),
      succeeded('2', { version: largeVersion(200) }),
    ];
    expect(writeAndParse({ ends })).toMatchObject({
      message: TERMINATION.message,
      exits: { '0': 0, '1': 0, '2': 0 },
      versions: { '0': largeVersion(100), '2': largeVersion(200) },
    });
    expect(writeAndParse({ ends })?.versions).not.toHaveProperty('1');
  });

  test('first drops the steps that the gateway knows', () => {
    const many = Array.from({ length: 1000 }, (_, index) => succeeded(String(index)));
    const last = succeeded('1000', { version: largeVersion(100) });
    const read = writeAndParse({ ends: [...many, last], acknowledgedSequence: 1005 });
    expect(Object.keys(read?.exits ?? {})).toEqual(['996', '997', '998', '999', '1000']);
    expect(read).toMatchObject({ message: TERMINATION.message, versions: { '1000': largeVersion(100) } });
  });

  test('names no step if too many are unacknowledged, because an incomplete list would prove nothing', () => {
    const ends = Array.from({ length: 1000 }, (_, index) => succeeded(String(index)));
    expect(writeAndParse({ outcome: 'succeeded', reason: 'AllStepsSucceeded', ends })).toMatchObject({
      outcome: 'succeeded',
      exits: {},
    });
  });
});

describe('the file of the termination message', () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-termination-'));
  const path = join(folder, 'termination-log');
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('has the last text, shorter or longer than the earlier one', () => {
    for (const message of ['first', 'a longer one '.repeat(20), 'short']) {
      writeTermination(path, { ...TERMINATION, message });
      expect(readFileSync(path, 'utf8')).toBe(encodeTermination({ ...TERMINATION, message }));
    }
  });

  test('has the earlier or the new text if the agent is killed while it writes', async () => {
    const messages = ['short', 'much longer '.repeat(100)];
    const script = `
      import { writeTermination } from ${JSON.stringify(new URL('termination.ts', import.meta.url))};
      const TERMINATION = ${JSON.stringify(TERMINATION)};
      const write = (message) => writeTermination(${JSON.stringify(path)}, { ...TERMINATION, message });
      write('short');
      console.log('ready');
      for (;;) for (const message of ${JSON.stringify(messages)}) write(message);`;
    for (let times = 0; times < 15; times += 1) {
      const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await once(child.stdout, 'data');
      child.kill('SIGKILL');
      await once(child, 'exit');
      expect(messages).toContain(parseTermination(readFileSync(path, 'utf8'))?.message);
    }
  });
});
