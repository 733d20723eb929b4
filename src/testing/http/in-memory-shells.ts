import type { DebugStore, DebugTransaction, LockedDebugSession } from '#flows/builds/debug-ports.ts';

const AT = new Date('2026-11-21T10:00:00Z');
const ATTEMPT = { build: 7, attempt: 1 };

const SESSION: LockedDebugSession = {
  ...ATTEMPT,
  id: 1,
  step: '0',
  openedBy: 'ann',
  command: [],
  state: 'open',
  openedAt: AT,
  inputAt: AT,
  seenAt: AT,
  allowed: true,
  running: true,
  lastInput: 0,
  lastOutput: 0,
};

const TRANSACTION: DebugTransaction = {
  backlog: async () => 0,
  append: async () => undefined,
  drop: async () => undefined,
  messages: async () => [],
  update: async () => undefined,
  end: async () => undefined,
  remove: async () => undefined,
};

/**
 * A step of build 7 of pipeline `app` runs. Debug session 1 is open in this step, and any person may use it.
 */
export const IN_MEMORY_SHELLS: DebugStore = {
  target: async ({ team, pipeline }) =>
    pipeline === 'app'
      ? {
          ...ATTEMPT,
          team,
          allowed: true,
          started: true,
          ended: false,
          steps: [{ id: '0', kind: 'task', name: 'test' }],
        }
      : undefined,
  open: async () => 1,
  withAttempt: async (_attempt, work) => await work(TRANSACTION, [SESSION]),
  withSession: async ({ id, ref }, work) =>
    id === SESSION.id && ref.pipeline === 'app' ? await work(TRANSACTION, SESSION) : undefined,
  withForgotten: async () => undefined,
};
