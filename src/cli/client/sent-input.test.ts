import { describe, expect, test } from '@jest/globals';
import { DEBUG_LIMITS } from '#domain/build/debug-limits.ts';
import { SentInput } from './sent-input.ts';
import { Unreachable } from './unreachable.ts';

interface Body {
  sequence?: number;
  data?: string;
  end?: true;
  columns?: number;
  received: number;
}

/** A server that stores what it gets in order. `trouble`: what happens to each request, until the list ends. */
function openServer(trouble: ('lost' | 'answer-lost' | 'full')[] = []) {
  const taken: Body[] = [];
  const bodies: Body[] = [];
  let accepted = 0;
  const changed: (() => void)[] = [];
  const take = async (body: Body): Promise<{ accepted: number; ended: boolean }> => {
    const what = trouble.shift();
    bodies.push(body);
    if (what === 'lost') throw new Unreachable('lost');
    if (what !== 'full' && body.sequence === accepted + 1) {
      accepted += 1;
      taken.push(body);
    }
    changed.splice(0).forEach((call) => call());
    if (what === 'answer-lost') throw new Unreachable('lost');
    return { accepted, ended: false };
  };
  const api = {
    async ask(_method: string, path: string, body?: unknown) {
      expect(path).toBe('/debug/1/input');
      return { status: 200, hasMore: false, data: JSON.parse(JSON.stringify(await take(Object(body)))) };
    },
  };
  return {
    bodies,
    taken,
    sent: new SentInput(api, '/debug/1', { pause: async () => undefined }),
    text: () => taken.map(({ data = '' }) => Buffer.from(data, 'base64').toString()).join(''),
    until: async (isDone: () => boolean): Promise<void> => {
      while (!isDone()) await new Promise<void>((resolve) => changed.push(resolve));
    },
  };
}

describe('input of a shell', () => {
  test('arrives in order, each once, whatever is lost', async () => {
    const { sent, taken, text, until } = openServer(['lost', 'answer-lost', 'full', 'lost', 'answer-lost']);
    sent.data(Buffer.from('a'));
    sent.data(Buffer.from('b'));
    sent.size({ columns: 90, rows: 30 });
    await until(() => text() === 'ab');
    sent.data(Buffer.from('c'));
    sent.end();
    await until(() => taken.some(({ end }) => end === true));
    expect(text()).toBe('abc');
    expect(taken.map(({ sequence }) => sequence)).toEqual(taken.map((_, index) => index + 1));
    expect(taken.filter(({ columns }) => columns === 90)).toHaveLength(1);
  });

  test('is cut into messages', async () => {
    const { sent, taken, text, until } = openServer();
    await sent.dataWhenRoom(Buffer.alloc(2 * DEBUG_LIMITS.messageBytes + 5, 'x'));
    sent.end();
    await until(() => taken.some(({ end }) => end === true));
    expect(text()).toBe('x'.repeat(2 * DEBUG_LIMITS.messageBytes + 5));
    expect(taken.length).toBeGreaterThan(3);
  });

  test('also says which output has arrived', async () => {
    const { sent, bodies, until } = openServer();
    sent.received(4);
    await until(() => bodies.length === 1);
    sent.received(6);
    await until(() => bodies.length === 2);
    expect(bodies).toEqual([{ received: 4 }, { received: 6 }]);
  });

  test('fails if the server stays away', async () => {
    const { sent } = openServer(Array.from({ length: 20 }, () => 'lost' as const));
    sent.data(Buffer.from('a'));
    await expect(sent.failed).rejects.toThrow('lost');
  });
});
