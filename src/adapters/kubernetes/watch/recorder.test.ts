import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { EventRecorder } from './recorder.ts';

const REGARDING = { apiVersion: 'v1', kind: 'Pod', namespace: 'blue', name: 'app', uid: 'u' };
const note = (text: string) => ({ type: 'Normal' as const, reason: 'Test', action: 'Test', note: text });

test.each([0, 1, 2, 3, 4, 5, 6, 7, 8])(
  'an Event that is recorded %d microtasks after the last write is written, even if no other Event follows',
  async (microtasks) => {
    const written: string[] = [];
    const firstAnswer = Promise.withResolvers<void>();
    const recorder = new EventRecorder({
      client: {
        create: async (_, object) => {
          const { note: text }: { note: string } = JSON.parse(JSON.stringify(object));
          written.push(text);
          if (text === 'first') await firstAnswer.promise;
          return { ok: true, value: object };
        },
        patchMerge: async () => ({ ok: false, status: 404, reason: 'NotFound', message: 'no' }),
      },
      instance: 'operator',
      onProblem: () => undefined,
    });
    recorder.record(REGARDING, note('first'));
    await turn();
    firstAnswer.resolve();
    for (let count = 0; count < microtasks; count += 1) await Promise.resolve();
    recorder.record(REGARDING, note('second'));
    await turn();
    expect(written).toEqual(['first', 'second']);
    await recorder.flush();
  },
);
