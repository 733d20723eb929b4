import { describe, expect, test } from '@jest/globals';
import { startBeside } from './beside.ts';
import { oneIf, type Counts } from './counts.ts';
import { GATES } from './gates.ts';

describe('gates that run beside others', () => {
  test('start before their turn, one after the other', async () => {
    const begun: string[] = [];
    const first = Promise.withResolvers<Counts>();
    const gates = startBeside(['a', 'b'], (name) => {
      begun.push(name);
      return name === 'a' ? first.promise : Promise.resolve(oneIf(true));
    });
    await Promise.resolve();
    expect(begun).toEqual(['a']);
    first.resolve(oneIf(true));
    await gates.get('b')?.finish();
    expect(begun).toEqual(['a', 'b']);
  });

  test('fail by themselves: the next one runs', async () => {
    const gates = startBeside(['a', 'b'], async (name) => {
      if (name === 'a') throw new Error('broken');
      return oneIf(true);
    });
    await expect(gates.get('a')?.finish()).rejects.toThrow('broken');
    await expect(gates.get('b')?.finish()).resolves.toEqual({ passed: 1, failed: 0 });
  });

  test('need no other gate, and no gate needs them', () => {
    const beside = Object.keys(GATES).filter((name) => GATES[name]?.beside);
    const needs = Object.values(GATES).flatMap((gate) => gate.needs ?? []);
    expect(beside).toContain('formatting');
    for (const name of beside) {
      expect(GATES[name]?.needs).toBeUndefined();
      expect(needs).not.toContain(name);
    }
  });
});
