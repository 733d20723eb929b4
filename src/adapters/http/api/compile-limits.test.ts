import { expect, test } from '@jest/globals';
import type { Compilation } from '#domain/pipeline/compile.ts';
import { limitCompiles, MAX_COMPILES, MAX_COMPILES_OF_TEAM } from './compile-limits.ts';

/** Limits a compiler that compiles nothing until the test calls `releaseAll`. */
function heldCompiles() {
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
    compileFor: (team: string) =>
      slots
        .compilerOf(team)
        .compile('', {})
        .then(
          () => 'done',
          (error: unknown) => (Error.isError(error) ? error.message : ''),
        ),
    releaseAll: () => waiting.splice(0).forEach((release) => release()),
  };
}

test('a team that compiles many texts cannot compile more, and another team is not affected', async () => {
  const { compileFor, releaseAll, shares } = heldCompiles();
  const greedy = Array.from({ length: MAX_COMPILES_OF_TEAM }, () => compileFor('greedy'));
  expect(await compileFor('greedy')).toBe(
    'Many texts of the team greedy are being checked now. Try again in a second.',
  );
  const goodTeam = compileFor('good');
  releaseAll();
  expect(await Promise.all([...greedy, goodTeam])).toEqual([...greedy, goodTeam].map(() => 'done'));
  expect(shares).toEqual([...greedy.map(() => 'greedy'), 'good']);
  const nextCompile = compileFor('greedy');
  releaseAll();
  expect(await nextCompile).toBe('done');
});

test('all teams together have a limit', async () => {
  const { compileFor, releaseAll } = heldCompiles();
  const compiles = Array.from({ length: MAX_COMPILES }, (_, index) => compileFor(`team-${index}`));
  expect(await compileFor('late')).toBe('Many texts are being checked now. Try again in a second.');
  releaseAll();
  await Promise.all(compiles);
});

test('a text that compiles and is drawn holds one slot until both have ended', async () => {
  const { slots, compileFor, releaseAll, shares } = heldCompiles();
  const drawing = Promise.withResolvers<string>();
  const drawings = Array.from({ length: MAX_COMPILES_OF_TEAM }, () =>
    slots.holdSlot('greedy', async (compiler) => {
      await compiler.compile('', {});
      return await drawing.promise;
    }),
  );
  releaseAll();
  expect(shares).toEqual(drawings.map(() => 'greedy'));
  expect(await compileFor('greedy')).toContain('Many texts of the team greedy');
  drawing.resolve('a picture');
  expect(await Promise.all(drawings)).toEqual(drawings.map(() => 'a picture'));
  const nextCompile = compileFor('greedy');
  releaseAll();
  expect(await nextCompile).toBe('done');
});
