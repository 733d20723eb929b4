import { PassThrough } from 'node:stream';
import { expect, test } from '@jest/globals';
import { promptOn } from './prompt.ts';

function seat() {
  const [input, output] = [new PassThrough(), new PassThrough()];
  let shown = '';
  output.setEncoding('utf8').on('data', (text: string) => (shown += text));
  return { input, output, shown: () => shown };
}

test('a hidden prompt shows no part of the input', async () => {
  const { input, output, shown } = seat();
  const asked = promptOn({ input, output }, 'Password: ', 'hidden');
  for (const letter of 'a sécret\r') input.write(letter);
  expect(await asked).toBe('a sécret');
  expect(shown()).toBe('Password: \n');
});

test('the input can be corrected before Enter', async () => {
  const { input, output } = seat();
  const asked = promptOn({ input, output }, 'Username: ', 'shown');
  input.write('anm\u007fn\r');
  expect(await asked).toBe('ann');
});

test.each([
  ['Ctrl-C', '\u0003'],
  ['Ctrl-D', '\u0004'],
])('%s ends the prompt', async (_name, letter) => {
  const { input, output } = seat();
  const asked = promptOn({ input, output }, 'Password: ', 'hidden');
  input.write(letter);
  await expect(asked).rejects.toThrow('no input: stopped');
});
