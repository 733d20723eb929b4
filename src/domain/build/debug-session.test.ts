import { describe, expect, test } from '@jest/globals';
import { DEBUG_LIMITS } from './debug-limits.ts';
import { judgeDebugSession, type OpenDebugSession } from './debug-session.ts';

const NOW = new Date('2026-11-26T12:00:00Z');
const ago = (milliseconds: number): Date => new Date(NOW.getTime() - milliseconds);
const { idleMs, openingMs, awayMs } = DEBUG_LIMITS;

const session = (more: Partial<OpenDebugSession>): OpenDebugSession => ({
  state: 'open',
  openedAt: NOW,
  inputAt: NOW,
  seenAt: NOW,
  allowed: true,
  running: true,
  ...more,
});

describe('a shell', () => {
  const cases: Record<string, [Partial<OpenDebugSession>, reason: string | undefined]> = {
    'goes on while its step runs': [{}, undefined],
    'goes on for half an hour without input': [{ openedAt: ago(idleMs), inputAt: ago(idleMs) }, undefined],
    'ends after longer without input': [{ openedAt: ago(idleMs), inputAt: ago(idleMs + 1) }, 'idle'],
    'waits a minute for the agent': [{ state: 'opening', openedAt: ago(openingMs) }, undefined],
    'ends if the agent does not answer': [{ state: 'opening', openedAt: ago(openingMs + 1) }, 'no-answer'],
    'outlives a short loss of the connection': [{ seenAt: ago(awayMs) }, undefined],
    'ends when the connection of its person is lost for longer': [{ seenAt: ago(awayMs + 1) }, 'left'],
    'ends with its build': [{ running: false }, 'step-ended'],
    'ends when the team no longer allows shells': [{ allowed: false, running: false }, 'not-allowed'],
  };
  test.each(Object.entries(cases))('%s', (_sentence, [more, reason]) => {
    expect(judgeDebugSession(session(more), NOW)?.reason).toBe(reason);
  });
});
