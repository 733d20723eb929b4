import { expect, test } from '@jest/globals';
import type { Compilation } from '#domain/pipeline/compile.ts';
import { limitCompiles, MAX_COMPILES, MAX_COMPILES_OF_TEAM } from './compile-limits.ts';

/** Compiles no text until the test releases it. */
function held() {
  const waiting: (() => void)[] = [];
  const shares: (string | undefined)[] = [];
  const slots = limitCompiles({
    compile: (_source, _variables, _sources, share) => {
      shares.push(share);
      return new Promise<Compilation>((resolve) => waiting.push(() => resolve({ diagnostics: [] })));
    },
  });
  return {
    shares,
    slots,
    ask: (team: string) =>
      slots
        .compilerOf(team)
        .compile('', {})
        .then(
          () => 'done',
          (error: unknown) => (error instanceof Error ? error.message : ''),
        ),
    letGo: () => waiting.splice(0).forEach((go) => go()),
  };
}

test('a team that compiles many texts is refused more, and another team is not affected', async () => {
  const { ask, letGo, shares } = held();
  const greedy = Array.from({ length: MAX_COMPILES_OF_TEAM }, () => ask('greedy'));
  expect(await ask('greedy')).toBe(
    'Many texts of the team greedy are being checked now. Try again in a second.',
  );
  const good = ask('good');
  letGo();
  expect(await Promise.all([...greedy, good])).toEqual([...greedy, good].map(() => 'done'));
  expect(shares).toEqual([...greedy.map(() => 'greedy'), 'good']);
  const again = ask('greedy');
  letGo();
  expect(await again).toBe('done');
});

test('all teams together have a limit', async () => {
  const { ask, letGo } = held();
  const many = Array.from({ length: MAX_COMPILES }, (_, one) => ask(`team-${one}`));
  expect(await ask('late')).toBe('Many texts are being checked now. Try again in a second.');
  letGo();
  await Promise.all(many);
});

test('a text that compiles and is drawn holds one slot until both have ended', async () => {
  const { slots, ask, letGo, shares } = held();
  const drawn = Promise.withResolvers<string>();
  const all = Array.from({ length: MAX_COMPILES_OF_TEAM }, () =>
    slots.holdSlot('greedy', async (compiler) => {
      await compiler.compile('', {});
      return await drawn.promise;
    }),
  );
  letGo();
  expect(shares).toEqual(all.map(() => 'greedy'));
  expect(await ask('greedy')).toContain('Many texts of the team greedy');
  drawn.resolve('a picture');
  expect(await Promise.all(all)).toEqual(all.map(() => 'a picture'));
  const again = ask('greedy');
  letGo();
  expect(await again).toBe('done');
});
