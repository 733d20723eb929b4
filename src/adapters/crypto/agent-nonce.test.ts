import { describe, expect, test } from '@jest/globals';
import { readNonce, signNonce } from './agent-nonce.ts';

const KEY = Buffer.alloc(32, 1);
const BUILD = { kind: 'build', build: 41, attempt: 2 } as const;
const RUN = { kind: 'checks', run: 7 } as const;

describe('a nonce', () => {
  test.each([BUILD, RUN])('tells what it was signed for: %j', (session) => {
    expect(readNonce(KEY, signNonce(KEY, session))).toEqual(session);
  });

  test('is the same each time, so that a Pod made again is the same Pod', () => {
    expect(signNonce(KEY, BUILD)).toBe(signNonce(KEY, { ...BUILD }));
    expect(signNonce(KEY, BUILD)).toMatch(/^b\.41\.2\.[\w-]{43}$/);
    expect(signNonce(KEY, RUN)).toMatch(/^c\.7\.[\w-]{43}$/);
  });

  const good = signNonce(KEY, BUILD);
  const refused: Record<string, string> = {
    'of another key': signNonce(Buffer.alloc(32, 2), BUILD),
    'whose build was changed': good.replace('b.41', 'b.42'),
    'whose attempt was changed': good.replace('.2.', '.3.'),
    'of a run made into one of a build': `b.7.1.${signNonce(KEY, RUN).split('.')[2]}`,
    'with a character more': `${good}A`,
    'with a character less': good.slice(0, -1),
    'with a line end': `${good}\n`,
    'without a mac': 'b.41.2',
    'that is empty': '',
  };
  test.each(Object.entries(refused))('%s is not ours', (_name, nonce) => {
    expect(readNonce(KEY, nonce)).toBeUndefined();
  });
});
