import { expect, test } from '@jest/globals';
import { BUILD, gateway } from '#testing/http/server-under-test.ts';

const DATA = Buffer.from('ls\n').toString('base64');
const SIZE = { columns: 80, rows: 24 };
const { ask } = gateway();

async function sendInput(body: object): Promise<{ status: number; detail: string }> {
  const answer = await ask('POST', `${BUILD}/debug/1/input`, 'maintain@main', {
    body: JSON.stringify({ received: 0, ...body }),
  });
  return { status: answer.statusCode, detail: answer.json<{ detail?: string }>().detail ?? '' };
}

const TAKEN: Record<string, object> = {
  'data with its number': { sequence: 1, data: DATA },
  'a size with its number': { sequence: 1, ...SIZE },
  'the end with its number': { sequence: 1, end: true },
  'a request without input': {},
};
test.each(Object.entries(TAKEN))('a shell takes %s', async (_name, body) => {
  expect(await sendInput(body)).toEqual({ status: 200, detail: '' });
});

const REFUSED: Record<string, [body: object, detail: string]> = {
  'data without a number': [{ data: DATA }, 'Send `sequence` with it'],
  'a size without a number': [SIZE, 'Send `sequence` with it'],
  'half a size without a number': [{ columns: 80 }, 'Send `sequence` with it'],
  'the end without a number': [{ end: true }, 'Send `sequence` with it'],
  'the number 0': [{ sequence: 0, data: DATA }, 'body/sequence must be >= 1'],
  'a number without input': [{ sequence: 1 }, 'exactly one of'],
  'half a size': [{ sequence: 1, rows: 24 }, 'exactly one of'],
  'data and a size': [{ sequence: 1, data: DATA, ...SIZE }, 'exactly one of'],
  'data and the end': [{ sequence: 1, data: DATA, end: true }, 'exactly one of'],
  'an end that is false': [{ sequence: 1, end: false }, 'exactly one of'],
};
test.each(Object.entries(REFUSED))('a shell refuses %s', async (_name, [body, detail]) => {
  expect(await sendInput(body)).toEqual({ status: 400, detail: expect.stringContaining(detail) });
});
