import { EventEmitter } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import type { Signature } from '#adapters/crypto/webhook-signature.ts';
import { webhookReaders } from './webhook-body.ts';

const TEXT = JSON.stringify({
  action: 'rerequested',
  check_run: { id: 1, external_id: 'main/app/unit/7' },
});
const HALF = Math.floor(TEXT.length / 2);
const RERUN = { kind: 'rerun', build: { team: 'main', pipeline: 'app', job: 'unit', number: '7' } };

/** Starts to read a body of an event. */
function open(
  readers: ReturnType<typeof webhookReaders>,
  event = 'check_run',
  signature: Signature = 'valid',
) {
  const raw = new EventEmitter();
  const check = { update: () => undefined, verdict: () => signature };
  const reader = readers({ headers: { 'x-github-event': event }, raw }, check);
  return {
    send: (from: number, to?: number) => reader.update(Buffer.from(TEXT.slice(from, to))),
    verdict: () => reader.verdict(),
    close: () => void raw.emit('close'),
  };
}

describe('the bodies of events that arrive at the same time', () => {
  test('are read in pieces', () => {
    const body = open(webhookReaders());
    body.send(0, HALF);
    body.send(HALF);
    body.close();
    expect(body.verdict()).toEqual({ signature: 'valid', rerun: RERUN });
  });

  test('have room together, and a body without room is not read', () => {
    const readers = webhookReaders(TEXT.length);
    const [first, second] = [open(readers), open(readers)];
    first.send(0, HALF);
    second.send(0);
    first.send(HALF);
    expect(second.verdict()).toEqual({ signature: 'valid', rerun: 'no-room' });
    expect(first.verdict()).toEqual({ signature: 'valid', rerun: RERUN });
  });

  test.each<[string, (body: ReturnType<typeof open>) => unknown]>([
    ['when it has been read', (body) => body.verdict()],
    ['when its connection closes', (body) => body.close()],
    ['only once', (body) => [body.verdict(), body.close()]],
  ])('give their room back: one %s', (_title, end) => {
    const readers = webhookReaders(TEXT.length);
    const before = open(readers);
    before.send(0);
    end(before);
    const [next, more] = [open(readers), open(readers)];
    next.send(0);
    more.send(0, 1);
    expect([next.verdict().rerun, more.verdict().rerun]).toEqual([RERUN, 'no-room']);
  });

  test('have no room taken by other events', () => {
    const readers = webhookReaders(TEXT.length);
    const other = open(readers, 'push');
    other.send(0);
    const body = open(readers);
    body.send(0);
    expect([other.verdict().rerun, body.verdict().rerun]).toEqual([undefined, RERUN]);
  });

  test('say nothing if the signature is wrong, even without room', () => {
    const body = open(webhookReaders(1), 'check_run', 'invalid');
    body.send(0);
    expect(body.verdict()).toEqual({ signature: 'invalid', rerun: undefined });
  });
});
