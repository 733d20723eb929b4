import { describe, expect, test } from '@jest/globals';
import { triggerEvent } from './trigger-event.ts';

const emission = { by: 'ann', at: new Date('2026-11-24T10:00:00Z') };
const ownFields = { trigger_by: 'ann', trigger_time: '2026-11-24T10:00:00.000Z' };

describe('an event that a person emits', () => {
  const versions: Record<string, [fields: unknown, version: Record<string, string>]> = {
    'names the person and the time': [{}, ownFields],
    'has the given fields, as texts': [
      { tag: 'v1', count: 2 },
      { tag: 'v1', count: '2', ...ownFields },
    ],
    'is flat': [
      { image: { tag: 'v1' }, hosts: ['a'] },
      { image_tag: 'v1', hosts_0: 'a', ...ownFields },
    ],
  };
  test.each(Object.entries(versions))('%s', (_sentence, [fields, version]) => {
    expect(triggerEvent(fields, emission)).toEqual({ ok: true, version });
  });

  const refused: Record<string, [fields: unknown, message: RegExp]> = {
    'is refused if it is not an object': [['tag'], /not an object/],
    'is refused if it names its build': [{ trigger_build: '7' }, /trigger_build is set by the server/],
    'is refused if it has a number that JavaScript has rounded': [
      JSON.parse('{"tag":"v1","runs":[{"id":20241127123456789}]}'),
      /^The number in the field runs_0_id has too many digits to be read exactly\./,
    ],
    'is refused if it is too long': [{ text: 'x'.repeat(64 * 1024) }, /too large/],
    'is refused if it has too many fields': [
      Object.fromEntries(Array.from({ length: 255 }, (_, index) => [`f${index}`, ''])),
      /256 fields/,
    ],
  };
  test.each(Object.entries(refused))('%s', (_sentence, [fields, message]) => {
    expect(triggerEvent(fields, emission)).toEqual({ ok: false, message: expect.stringMatching(message) });
  });
});
