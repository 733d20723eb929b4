import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { createMasker } from '#domain/build/mask-secrets.ts';
import { MaskedTail } from './capture.ts';

const secrets = fc.string({ unit: fc.constantFrom('a', '0', '+', 'é', '🗝'), minLength: 8, maxLength: 60 });
const dots = fc.nat({ max: 80 }).map((length) => '.'.repeat(length));

describe('the masked end of an output', () => {
  test('shows no part of a secret, wherever it is cut and however it arrives', () => {
    const outputs = fc.record({ before: dots, after: dots, pieceBytes: fc.integer({ min: 1, max: 40 }) });
    const limits = fc.integer({ min: 1, max: 128 });
    fc.assert(
      fc.property(secrets, outputs, limits, (secret, { before, after, pieceBytes }, limit) => {
        const output = Buffer.from(`${before}${secret}${after}`);
        const tail = new MaskedTail(createMasker([secret]), limit);
        for (let at = 0; at < output.length; at += pieceBytes)
          tail.write('stdout', output.subarray(at, at + pieceBytes));
        const text = tail.end();
        expect(text).toMatch(/^[.*]*$/);
        expect(text.length).toBe(Math.min(limit, `${before}***${after}`.length));
      }),
    );
  });

  test('finds a secret in one stream while the other one is written', () => {
    const tail = new MaskedTail(createMasker(['hunter2']), 100);
    tail.write('stdout', Buffer.from('a hun'));
    tail.write('stderr', Buffer.from('oops '));
    tail.write('stdout', Buffer.from('ter2 b'));
    expect(tail.end()).toBe('a oops *** b');
  });

  test('hides secrets that another command added later', () => {
    const masker = createMasker([]);
    const tail = new MaskedTail(masker, 100);
    tail.write('stderr', Buffer.from('say hunter2'));
    masker.add(['hunter2']);
    expect(tail.end()).toBe('say ***');
  });
});
