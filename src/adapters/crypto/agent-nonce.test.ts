import { describe, expect, test } from '@jest/globals';
import { readNonce, signNonce } from './agent-nonce.ts';

const KEY = Buffer.alloc(32, 1);
const BUILD = { kind: 'build', build: 41, attempt: 2 } as const;
const RUN = { kind: 'checks', run: 7 } as const;
const WARM = { kind: 'warm', warm: 7 } as const;

describe('a nonce', () => {
  test.each([BUILD, RUN, WARM])('names the work that it was signed for: %j', (session) => {
    expect(readNonce(KEY, signNonce(KEY, session))).toEqual(session);
  });

  test('is the same each time, so that a recreated Pod gets the same nonce', () => {
    expect(signNonce(KEY, BUILD)).toBe(signNonce(KEY, { ...BUILD }));
    expect(signNonce(KEY, BUILD)).toMatch(/^b\.41\.2\.[\w-]{43}$/);
    expect(signNonce(KEY, RUN)).toMatch(/^c\.7\.[\w-]{43}$/);
    expect(signNonce(KEY, WARM)).toMatch(/^w\.7\.[\w-]{43}$/);
  });

  const good = signNonce(KEY, BUILD);
  const refused: Record<string, string> = {
    'with another key': signNonce(Buffer.alloc(32, 2), BUILD),
    'after a change of the build': good.replace('b.41', 'b.42'),
    'after a change of the attempt': good.replace('.2.', '.3.'),
    'if the mac of a run is used for a build': `b.7.1.${signNonce(KEY, RUN).split('.')[2]}`,
    'if the mac of a warm Pod is used for a run': `c.7.${signNonce(KEY, WARM).split('.')[2]}`,
    'with an additional character': `${good}A`,
    'with a missing character': good.slice(0, -1),
    'with a line end': `${good}\n`,
    'without a mac': 'b.41.2',
    'if it is empty': '',
  };
  test.each(Object.entries(refused))('is refused %s', (_name, nonce) => {
    expect(readNonce(KEY, nonce)).toBeUndefined();
  });
});
