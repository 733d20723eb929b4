import { describe, expect, test } from '@jest/globals';
import { RetainedBodies } from './retained-bodies.ts';

const KIB = 1024;
const MAX_BODY = 64 * KIB;
const bodies = (maxBytes: number): RetainedBodies => new RetainedBodies({ maxBytes, maxBodyBytes: MAX_BODY });
const bytes = (count: number): Buffer => Buffer.alloc(count, 'x');

describe('bodies that are retained', () => {
  test('have the content of their chunks, however small these are', () => {
    const body = bodies(MAX_BODY).begin();
    const text = 'äöü'.repeat(3 * KIB);
    for (const byte of Buffer.from(text)) body.append(Buffer.of(byte));
    expect(String(body.content())).toBe(text);
  });

  test('have no content beyond the limit of one body, and take no memory then', () => {
    const some = bodies(2 * MAX_BODY);
    const large = some.begin();
    large.append(bytes(MAX_BODY));
    expect(large.content()).toHaveLength(MAX_BODY);
    large.append(bytes(1));
    large.append(bytes(1));
    expect(large.content()).toBe('too-large');
    const others = [some.begin(), some.begin()];
    for (const other of others) other.append(bytes(MAX_BODY));
    expect(others.map((other) => other.content())).toEqual([bytes(MAX_BODY), bytes(MAX_BODY)]);
  });

  test('drop the one that began first if there is no room, so that slow senders block nobody', () => {
    const some = bodies(4 * MAX_BODY);
    const slow = Array.from({ length: 100 }, () => some.begin());
    for (const body of slow) body.append(bytes(MAX_BODY - 1));
    const delivered = some.begin();
    delivered.append(bytes(10));
    delivered.append(bytes(KIB));
    expect(delivered.content()).toHaveLength(KIB + 10);
    const retained = slow.filter((body) => body.content() !== 'dropped');
    expect(retained).toEqual(slow.slice(-3));
  });

  test('are dropped themselves if they need more memory than there is', () => {
    const some = bodies(MAX_BODY / 2);
    const large = some.begin();
    large.append(bytes(MAX_BODY));
    expect(large.content()).toBe('dropped');
    const small = some.begin();
    small.append(bytes(KIB));
    expect(small.content()).toHaveLength(KIB);
  });

  test('give their memory back when they are released, once, and stay readable', () => {
    const some = bodies(MAX_BODY);
    const first = some.begin();
    first.append(bytes(MAX_BODY));
    first.release();
    first.release();
    const [second, third] = [some.begin(), some.begin()];
    second.append(bytes(MAX_BODY));
    expect([first.content(), second.content()]).toEqual([bytes(MAX_BODY), bytes(MAX_BODY)]);
    third.append(bytes(1));
    expect([second.content(), third.content()]).toEqual(['dropped', bytes(1)]);
  });
});
