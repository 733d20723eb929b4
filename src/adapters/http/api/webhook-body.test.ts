import { EventEmitter } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import type { SignatureVerdict } from '#adapters/crypto/webhook-signature.ts';
import { webhookReaders } from './webhook-body.ts';

const TEXT = JSON.stringify({
  action: 'rerequested',
  check_run: { id: 1, external_id: 'main/app/unit/7' },
});
const HALF = Math.floor(TEXT.length / 2);
const RERUN = { kind: 'rerun', build: { team: 'main', pipeline: 'app', job: 'unit', number: '7' } };

/** The memory that a short body takes. */
const ONE_BODY = 4 * 1024;

/** Starts to read a body of an event. */
function openReader(
  readers: ReturnType<typeof webhookReaders>,
  event = 'check_run',
  signature: SignatureVerdict = 'valid',
) {
  const raw = new EventEmitter();
  const check = { claimed: signature !== 'absent', update: () => undefined, verdict: () => signature };
  const reader = readers({ headers: { 'x-github-event': event }, raw }, check);
  return {
    send: (from: number, to?: number) => reader.update(Buffer.from(TEXT.slice(from, to))),
    verdict: () => reader.verdict(),
    close: () => void raw.emit('close'),
  };
}

const received = (rerun: unknown, wantsCheck = false) => ({ signature: 'valid', wantsCheck, rerun });

describe('the bodies of events that arrive at the same time', () => {
  test('are read in pieces, even if the connection closes before the verdict', () => {
    const body = openReader(webhookReaders());
    body.send(0, HALF);
    body.send(HALF);
    body.close();
    expect(body.verdict()).toEqual(received(RERUN, true));
  });

  test('share the memory, and the body that began first is not read if there is not enough', () => {
    const readers = webhookReaders(ONE_BODY);
    const [slow, fast] = [openReader(readers), openReader(readers)];
    slow.send(0, HALF);
    fast.send(0);
    slow.send(HALF);
    expect([slow.verdict(), fast.verdict()]).toEqual([received('no-room'), received(RERUN, true)]);
  });

  test.each<[string, (body: ReturnType<typeof openReader>) => unknown]>([
    ['when it has been read', (body) => body.verdict()],
    ['when its connection closes', (body) => body.close()],
    ['only once', (body) => [body.verdict(), body.close()]],
  ])('return their memory: a body %s', (_title, end) => {
    const readers = webhookReaders(2 * ONE_BODY);
    const [before, next, more] = [openReader(readers), openReader(readers), openReader(readers)];
    before.send(0);
    end(before);
    next.send(0);
    more.send(0);
    expect([next.verdict().rerun, more.verdict().rerun]).toEqual([RERUN, RERUN]);
  });

  test.each<[string, string, SignatureVerdict, object]>([
    ['lose no memory to other events', 'push', 'valid', { signature: 'valid', wantsCheck: true }],
    [
      'lose no memory to events without a signature',
      'check_run',
      'absent',
      { signature: 'absent', wantsCheck: true, rerun: { kind: 'problem', problem: 'SignatureMissing' } },
    ],
  ])('%s', (_title, event, signature, expected) => {
    const readers = webhookReaders(ONE_BODY);
    const body = openReader(readers);
    body.send(0);
    const other = openReader(readers, event, signature);
    other.send(0);
    expect([other.verdict(), body.verdict()]).toEqual([expected, received(RERUN, true)]);
  });

  test('are ignored if the signature is wrong, even if there is not enough memory', () => {
    const body = openReader(webhookReaders(1), 'check_run', 'invalid');
    body.send(0);
    expect(body.verdict()).toEqual({ signature: 'invalid', wantsCheck: true });
  });
});

test('a check run that nobody asks to run again requests no check', () => {
  const text = JSON.stringify({ action: 'completed', check_run: { id: 1 } });
  const check = { claimed: true, update: () => undefined, verdict: (): SignatureVerdict => 'valid' };
  const headers = { 'x-github-event': 'check_run' };
  const reader = webhookReaders()({ headers, raw: new EventEmitter() }, check);
  reader.update(Buffer.from(text));
  expect(reader.verdict()).toEqual({ signature: 'valid', wantsCheck: false });
});
