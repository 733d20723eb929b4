import { describe, expect, test } from '@jest/globals';
import { RetainedBodies } from './retained-bodies.ts';

const KIB = 1024;
const MAX_BODY = 64 * KIB;
const retainedBodies = (maxBytes: number): RetainedBodies =>
  new RetainedBodies({ maxBytes, maxBodyBytes: MAX_BODY });
const bytes = (count: number): Buffer => Buffer.alloc(count, 'x');

describe('bodies that are retained', () => {
  test('have the content of their chunks, however small the chunks are', () => {
    const body = retainedBodies(MAX_BODY).begin();
    const text = 'äöü'.repeat(3 * KIB);
    for (const byte of Buffer.from(text)) body.append(Buffer.of(byte));
    expect(String(body.content())).toBe(text);
  });

  test('have no content and take no memory if they are longer than the limit of one body', () => {
    const bodies = retainedBodies(2 * MAX_BODY);
    const large = bodies.begin();
    large.append(bytes(MAX_BODY));
    expect(large.content()).toHaveLength(MAX_BODY);
    large.append(bytes(1));
    large.append(bytes(1));
    expect(large.content()).toBe('too-large');
    const others = [bodies.begin(), bodies.begin()];
    for (const other of others) other.append(bytes(MAX_BODY));
    expect(others.map((other) => other.content())).toEqual([bytes(MAX_BODY), bytes(MAX_BODY)]);
  });

  test('drop the body that began first if there is no room, so that slow senders block nobody', () => {
    const bodies = retainedBodies(4 * MAX_BODY);
    const slow = Array.from({ length: 100 }, () => bodies.begin());
    for (const body of slow) body.append(bytes(MAX_BODY - 1));
    const delivered = bodies.begin();
    delivered.append(bytes(10));
    delivered.append(bytes(KIB));
    expect(delivered.content()).toHaveLength(KIB + 10);
    const retained = slow.filter((body) => body.content() !== 'dropped');
    expect(retained).toEqual(slow.slice(-3));
  });

  test('are dropped themselves if they need more memory than all bodies may take', () => {
    const bodies = retainedBodies(MAX_BODY / 2);
    const large = bodies.begin();
    large.append(bytes(MAX_BODY));
    expect(large.content()).toBe('dropped');
    const small = bodies.begin();
    small.append(bytes(KIB));
    expect(small.content()).toHaveLength(KIB);
  });

  test('return their memory when they are released, only once, and stay readable', () => {
    const bodies = retainedBodies(MAX_BODY);
    const first = bodies.begin();
    first.append(bytes(MAX_BODY));
    first.release();
    first.release();
    const [second, third] = [bodies.begin(), bodies.begin()];
    second.append(bytes(MAX_BODY));
    expect([first.content(), second.content()]).toEqual([bytes(MAX_BODY), bytes(MAX_BODY)]);
    third.append(bytes(1));
    expect([second.content(), third.content()]).toEqual(['dropped', bytes(1)]);
  });
});
