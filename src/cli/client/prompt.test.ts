import { PassThrough } from 'node:stream';
import { expect, test } from '@jest/globals';
import { promptOn } from './prompt.ts';

function openStreams() {
  const [input, output] = [new PassThrough(), new PassThrough()];
  let shown = '';
  output.setEncoding('utf8').on('data', (text: string) => (shown += text));
  return { input, output, shown: () => shown };
}

test('a hidden prompt shows no part of the input', async () => {
  const { input, output, shown } = openStreams();
  const answer = promptOn({ input, output }, 'Password: ', 'hidden');
  for (const key of 'a sécret\r') input.write(key);
  expect(await answer).toBe('a sécret');
  expect(shown()).toBe('Password: \n');
});

test('the input can be corrected before Enter', async () => {
  const { input, output } = openStreams();
  const answer = promptOn({ input, output }, 'Username: ', 'shown');
  input.write('anm\u007fn\r');
  expect(await answer).toBe('ann');
});

test.each([
  ['Ctrl-C', '\u0003'],
  ['Ctrl-D', '\u0004'],
])('%s ends the prompt', async (_name, key) => {
  const { input, output } = openStreams();
  const answer = promptOn({ input, output }, 'Password: ', 'hidden');
  input.write(key);
  await expect(answer).rejects.toThrow('no input: stopped');
});
