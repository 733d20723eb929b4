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
const words: Termination = {
  outcome: 'failed',
  reason: 'StepFailed',
  message: 'Step unit: exit code 1.',
  ends: [succeeded('0'), succeeded('1', { exitCode: null, status: 'cancelled' })],
  acknowledged: 7,
};

function written(more: Partial<Termination>) {
  const text = encodeTermination({ ...words, ...more });
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4096);
  return parseTermination(text);
}

const large = (letters: number): Record<string, string> => ({ ref: 'v'.repeat(letters) });

describe('the termination message', () => {
  test('is read as it was written', () => {
    expect(written({})).toEqual({
      format: 1,
      outcome: 'failed',
      reason: 'StepFailed',
      message: 'Step unit: exit code 1.',
      exits: { '0': 0, '1': null },
      statuses: { '1': 'cancelled' },
      acknowledged: 7,
    });
  });

  test('names versions that the gateway has not acknowledged, and puts without a version', () => {
    const ends = [
      succeeded('0', { version: { ref: 'a' } }),
      succeeded('1', { version: { ref: 'b' } }),
      succeeded('2', { version: {} }),
    ];
    expect(written({ ends, acknowledged: 10 })?.versions).toEqual({ '1': { ref: 'b' }, '2': {} });
  });

  test.each(['x', 'ä', '"', '🗝'])('with a long sentence of %j shortens it and keeps the rest', (letter) => {
    const read = written({ message: letter.repeat(5000) });
    expect(read).toMatchObject({ exits: { '0': 0, '1': null }, acknowledged: 7 });
    expect(read?.message.length).toBeGreaterThan(500);
  });

  test('drops the sentence for a version', () => {
    const read = written({ message: 'x'.repeat(2000), ends: [succeeded('0', { version: large(3800) })] });
    expect(read?.versions).toEqual({ '0': large(3800) });
    expect(read?.message.length).toBeLessThan(200);
  });

  test('drops a version that does not fit, and keeps the others and the sentence', () => {
    const ends = [
      succeeded('0', { version: large(100) }),
      succeeded('1', { version: large(5000) }),
      succeeded('2', { version: large(200) }),
    ];
    expect(written({ ends })).toMatchObject({
      message: words.message,
      exits: { '0': 0, '1': 0, '2': 0 },
      versions: { '0': large(100), '2': large(200) },
    });
    expect(written({ ends })?.versions).not.toHaveProperty('1');
  });

  test('drops the steps that the gateway knows before anything else', () => {
    const many = Array.from({ length: 1000 }, (_, index) => succeeded(String(index)));
    const last = succeeded('1000', { version: large(100) });
    const read = written({ ends: [...many, last], acknowledged: 1005 });
    expect(Object.keys(read?.exits ?? {})).toEqual(['996', '997', '998', '999', '1000']);
    expect(read).toMatchObject({ message: words.message, versions: { '1000': large(100) } });
  });

  test('names none of very many unacknowledged steps rather than some, because that proves nothing', () => {
    const ends = Array.from({ length: 1000 }, (_, index) => succeeded(String(index)));
    expect(written({ outcome: 'succeeded', reason: 'AllStepsSucceeded', ends })).toMatchObject({
      outcome: 'succeeded',
      exits: {},
    });
  });
});

describe('the file of the termination message', () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-words-'));
  const path = join(folder, 'termination-log');
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('has the last text, shorter or longer than the earlier one', () => {
    for (const message of ['first', 'a longer one '.repeat(20), 'short']) {
      writeTermination(path, { ...words, message });
      expect(readFileSync(path, 'utf8')).toBe(encodeTermination({ ...words, message }));
    }
  });

  test('has the earlier or the new text if the agent is killed while it writes', async () => {
    const messages = ['short', 'much longer '.repeat(100)];
    const script = `
      import { writeTermination } from ${JSON.stringify(new URL('termination.ts', import.meta.url))};
      const words = ${JSON.stringify(words)};
      const write = (message) => writeTermination(${JSON.stringify(path)}, { ...words, message });
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
