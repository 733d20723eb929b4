import type { StepExecution } from '#e2e/soak/history.ts';
import { findBuild, removeFirst } from './clean-run.ts';
import type { Evidence } from './evidence.ts';

/* Planted violations of the rules about hooks, services and notifications. */

const HOOKS = 'a build that ran to its end ran ensure once, and the hook of its outcome and no other';
const ORDER = 'hooks of a job run after its steps, and ensure after the others';
const SERVICE = 'a service runs before the first step, and is gone when its build ends';
const NOTIFIED = 'one notification of the end of a build is sent, with its status';
const POD = 'services-whole-1-2-0a1b2';

const runOf = ({ history }: Evidence, step: string): StepExecution => {
  const found = history.runs.find((run) => run.pod === POD && run.step === step);
  if (found === undefined) throw new Error(`The clean run has no step ${step}.`);
  return found;
};

export const PLANTED_HOOKS_AND_SERVICES: Record<
  string,
  [invariant: string, plant: (evidence: Evidence) => void]
> = {
  'an ensure that never ran': [
    HOOKS,
    ({ history }) => removeFirst(history.runs, ({ pod, step }) => pod === POD && step === 'sweep'),
  ],
  'an ensure that ran twice': [
    HOOKS,
    (evidence) => {
      evidence.history.runs.push({ ...runOf(evidence, 'sweep'), run: 'another' });
    },
  ],
  'a hook of failures in a green build': [
    HOOKS,
    (evidence) => {
      evidence.history.runs.push({ ...runOf(evidence, 'cheer'), step: 'mourn' });
    },
  ],
  'a failed build without its hook': [
    HOOKS,
    ({ history }) => removeFirst(history.runs, ({ job, step }) => job === 'torn' && step === 'mourn'),
  ],
  'an ensure before another hook': [
    ORDER,
    (evidence) => {
      runOf(evidence, 'sweep').at = runOf(evidence, 'cheer').at - 1;
    },
  ],
  'a hook before the end of the steps': [
    ORDER,
    (evidence) => {
      runOf(evidence, 'cheer').at = runOf(evidence, 'right').at - 1;
    },
  ],
  'a lane that never ran': [
    'a green build ran each of its steps',
    ({ history }) => removeFirst(history.runs, ({ pod, step }) => pod === POD && step === 'left'),
  ],
  'a line of a lane that is missing': [
    'a log is complete, in order, each line once',
    ({ database }) => removeFirst(database.logs, ({ text }) => text === 'left line 3\n'),
  ],
  'a line of a hook that is missing': [
    'a log is complete, in order, each line once',
    ({ database }) => removeFirst(database.logs, ({ text }) => text === 'mourn ended\n'),
  ],
  'a service that never ran': [
    SERVICE,
    ({ history }) => removeFirst(history.services ?? [], ({ pod }) => pod === POD),
  ],
  'a service that began after the first step': [
    SERVICE,
    (evidence) => {
      const life = evidence.history.services?.find(({ pod }) => pod === POD);
      if (life !== undefined) life.from = runOf(evidence, 'prepare').at + 1;
    },
  ],
  'a service that outlives its build': [
    SERVICE,
    (evidence) => {
      const life = evidence.history.services?.find(({ pod }) => pod === POD);
      if (life !== undefined) life.to = (findBuild(evidence, 'services/whole #1').endedAt ?? 0) + 3000;
    },
  ],
  'an end without a notification': [
    NOTIFIED,
    ({ history }) => removeFirst(history.notifications ?? [], ({ pod }) => pod === POD),
  ],
  'an end that was notified twice': [
    NOTIFIED,
    ({ history }) => history.notifications?.push(...history.notifications.slice(0, 1)),
  ],
  'a notification with the wrong status': [
    NOTIFIED,
    ({ history }) => Object.assign(history.notifications?.[0] ?? {}, { status: 'failed' }),
  ],
};
