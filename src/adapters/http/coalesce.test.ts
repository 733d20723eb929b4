import { describe, expect, test } from '@jest/globals';
import { coalesced } from './coalesce.ts';

/** Calls that end when they are told to. */
function held() {
  const calls: { key: string; end: (answer: string) => void; fail: () => void }[] = [];
  const ask = coalesced(async (key: string) => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    calls.push({ key, end: resolve, fail: () => reject(new Error('failed')) });
    return await promise;
  });
  return { calls, ask };
}

const settled = async (): Promise<void> => {
  await new Promise(setImmediate);
};

describe('equal requests', () => {
  test('that come during a call share the next one, never the one under way', async () => {
    const { calls, ask } = held();
    const first = ask('a');
    const burst = [ask('a'), ask('a'), ask('a')];
    expect(calls).toHaveLength(1);
    calls[0]?.end('one');
    expect(await first).toBe('one');
    await settled();
    expect(calls).toHaveLength(2);
    const later = ask('a');
    calls[1]?.end('two');
    expect(await Promise.all(burst)).toEqual(['two', 'two', 'two']);
    await settled();
    calls[2]?.end('three');
    expect(await later).toBe('three');
    expect(calls).toHaveLength(3);
  });

  test('do not wait for those of another key', async () => {
    const { calls, ask } = held();
    const answers = [ask('a'), ask('b')];
    expect(calls.map(({ key }) => key)).toEqual(['a', 'b']);
    for (const { end, key } of calls) end(key);
    expect(await Promise.all(answers)).toEqual(['a', 'b']);
  });

  test('are asked anew after a failure, which only its own caller sees', async () => {
    const { calls, ask } = held();
    const first = ask('a');
    const second = ask('a');
    calls[0]?.fail();
    await expect(first).rejects.toThrow('failed');
    await settled();
    calls[1]?.end('well');
    expect(await second).toBe('well');
    const third = ask('a');
    calls[2]?.end('again');
    expect(await third).toBe('again');
  });
});
