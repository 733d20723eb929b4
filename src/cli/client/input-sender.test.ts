import { describe, expect, test } from '@jest/globals';
import { DEBUG_LIMITS } from '#domain/build/debug-limits.ts';
import { InputSender } from './input-sender.ts';
import { Unreachable } from './unreachable.ts';

interface Body {
  sequence?: number;
  data?: string;
  end?: true;
  columns?: number;
  received: number;
}

/**
 * A fake server that accepts messages in order. Each entry of `faults` says what goes wrong with one request.
 */
function openServer(faults: ('lost' | 'answer-lost' | 'full')[] = []) {
  const acceptedBodies: Body[] = [];
  const bodies: Body[] = [];
  let accepted = 0;
  const changed: (() => void)[] = [];
  const receive = async (body: Body): Promise<{ accepted: number; ended: boolean }> => {
    const fault = faults.shift();
    bodies.push(body);
    if (fault === 'lost') throw new Unreachable('lost');
    if (fault !== 'full' && body.sequence === accepted + 1) {
      accepted += 1;
      acceptedBodies.push(body);
    }
    changed.splice(0).forEach((call) => call());
    if (fault === 'answer-lost') throw new Unreachable('lost');
    return { accepted, ended: false };
  };
  const api = {
    async ask(_method: string, path: string, body?: unknown) {
      expect(path).toBe('/debug/1/input');
      return { status: 200, hasMore: false, data: JSON.parse(JSON.stringify(await receive(Object(body)))) };
    },
  };
  return {
    bodies,
    acceptedBodies,
    sender: new InputSender(api, '/debug/1', { pause: async () => undefined }),
    text: () => acceptedBodies.map(({ data = '' }) => Buffer.from(data, 'base64').toString()).join(''),
    until: async (isDone: () => boolean): Promise<void> => {
      while (!isDone()) await new Promise<void>((resolve) => changed.push(resolve));
    },
  };
}

describe('input of a shell', () => {
  test('arrives in order and only once, even if requests and answers are lost', async () => {
    const { sender, acceptedBodies, text, until } = openServer([
      'lost',
      'answer-lost',
      'full',
      'lost',
      'answer-lost',
    ]);
    sender.sendData(Buffer.from('a'));
    sender.sendData(Buffer.from('b'));
    sender.sendSize({ columns: 90, rows: 30 });
    await until(() => text() === 'ab');
    sender.sendData(Buffer.from('c'));
    sender.sendEnd();
    await until(() => acceptedBodies.some(({ end }) => end === true));
    expect(text()).toBe('abc');
    expect(acceptedBodies.map(({ sequence }) => sequence)).toEqual(
      acceptedBodies.map((_, index) => index + 1),
    );
    expect(acceptedBodies.filter(({ columns }) => columns === 90)).toHaveLength(1);
  });

  test('is cut into messages', async () => {
    const { sender, acceptedBodies, text, until } = openServer();
    await sender.sendDataWhenRoom(Buffer.alloc(2 * DEBUG_LIMITS.messageBytes + 5, 'x'));
    sender.sendEnd();
    await until(() => acceptedBodies.some(({ end }) => end === true));
    expect(text()).toBe('x'.repeat(2 * DEBUG_LIMITS.messageBytes + 5));
    expect(acceptedBodies.length).toBeGreaterThan(3);
  });

  test('is not needed to report which output has arrived', async () => {
    const { sender, bodies, until } = openServer();
    sender.confirmOutput(4);
    await until(() => bodies.length === 1);
    sender.confirmOutput(6);
    await until(() => bodies.length === 2);
    expect(bodies).toEqual([{ received: 4 }, { received: 6 }]);
  });

  test('fails if the server stays unreachable', async () => {
    const { sender } = openServer(Array.from({ length: 20 }, () => 'lost' as const));
    sender.sendData(Buffer.from('a'));
    await expect(sender.failed).rejects.toThrow('lost');
  });
});
