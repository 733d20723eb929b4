import { describe, expect, test } from '@jest/globals';
import type { ProcessNotification } from '#flows/notification-ports.ts';
import { decodeNotification, encodeNotification } from './notification-payload.ts';

describe('the payload that this release exchanges with other releases', () => {
  const cases: Record<string, ProcessNotification> = {
    'checks:0': { topic: 'checks' },
    'builds:0': { topic: 'builds' },
    'schedule:7': { topic: 'schedule', pipeline: 7 },
    'schedule:0': { topic: 'schedule', pipeline: 'all' },
    'status:7': { topic: 'status', pipeline: 7 },
    'cancel:41': { topic: 'cancel', build: 41 },
    'progress:41': { topic: 'progress', build: 41 },
    'teams:3': { topic: 'teams', team: 3 },
  };
  test.each(Object.entries(cases))('is still %s', (payload, notification) => {
    expect(encodeNotification(notification)).toBe(payload);
    expect(decodeNotification(payload)).toEqual(notification);
  });
});

test.each(['', 'checked:1', 'status:0', 'cancel:', 'cancel:x', 'teams:-1', 'progress:1.5', 'schedule:x'])(
  'the payload "%s" of another release is ignored',
  (payload) => {
    expect(decodeNotification(payload)).toBeUndefined();
  },
);
