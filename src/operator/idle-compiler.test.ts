import { expect, test } from '@jest/globals';
import type { HclCompiler } from '#adapters/hcl/compile.ts';
import { createFairPool } from '#domain/scheduling/fair-pool.ts';
import { compilerFor, idleCompiler } from './idle-compiler.ts';

function counted(): { create: () => HclCompiler; made: () => number; closed: () => number } {
  let [made, closed] = [0, 0];
  const create = (): HclCompiler => {
    made += 1;
    return {
      compile: () => Promise.resolve({ diagnostics: [] }),
      close: () => {
        closed += 1;
        return Promise.resolve();
      },
    };
  };
  return { create, made: () => made, closed: () => closed };
}

test('a compiler is made when it is needed and closed when it is not', async () => {
  const { create, made, closed } = counted();
  const rest = Promise.withResolvers<void>();
  const compiler = idleCompiler(create, { idleMs: 1, rested: rest.resolve });
  expect(made()).toBe(0);
  await Promise.all([compiler.compile('', {}), compiler.compile('', {})]);
  expect(made()).toBe(1);
  await rest.promise;
  expect(closed()).toBe(1);
  await compiler.compile('', {});
  expect(made()).toBe(2);
});

test('closing it closes the one that is there', async () => {
  const { create, closed } = counted();
  const compiler = idleCompiler(create, { idleMs: 60_000 });
  await compiler.close();
  expect(closed()).toBe(0);
  await compiler.compile('', {});
  await compiler.close();
  expect(closed()).toBe(1);
});

/** One seat, which texts share as they share the processes of the real compiler. Notes the order. */
function oneSeat(compiled: string[]): () => HclCompiler {
  const pool = createFairPool(['seat']);
  return () => ({
    async compile(source, _variables, _sources, share = '') {
      const seat = await pool.acquire(share);
      compiled.push(String(source));
      await new Promise(setImmediate);
      pool.release(seat);
      return { diagnostics: [] };
    },
    close: () => Promise.resolve(),
  });
}

test('texts of several teams take turns, however many one of them has', async () => {
  const compiled: string[] = [];
  const compiler = idleCompiler(oneSeat(compiled), { idleMs: 60_000 });
  const greedy = compilerFor('greedy', compiler);
  const texts = [1, 2, 3, 4].map((number) => greedy.compile(`greedy ${number}`, {}));
  await Promise.all([
    ...texts,
    ...['blue', 'red'].map((team) => compilerFor(team, compiler).compile(team, {})),
  ]);
  await compiler.close();
  expect(compiled).toEqual(['greedy 1', 'greedy 2', 'blue', 'red', 'greedy 3', 'greedy 4']);
});
