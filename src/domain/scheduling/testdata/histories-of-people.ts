import type { Histories } from './history-format.ts';

const UNIT = 'unit: app trigger';
const DEPLOY = `${UNIT}
  deploy: app trigger passed unit`;

const GATED = 'ship (approvals 2): app trigger';

/** Triggers, retries, cancels and approvals of people, and builds of interruptible jobs. */
export const PEOPLE: Record<string, Histories> = {
  people: {
    'requests that cannot run are refused with every reason': [
      `${UNIT}
      deploy: app trigger passed unit, tools`,
      'trigger deploy  → refused NothingPassed NoVersion',
      'pause deploy    →',
      'trigger deploy  → refused JobPaused NothingPassed NoVersion',
    ],
    'an automatic build answers a request for the same versions': [
      UNIT,
      'app v1 v2 + trigger unit  → unit#1 v1, unit#2 v2',
      'trigger unit              → unit#3 v2',
    ],
    'equal requests get a build each': [
      UNIT,
      'app v1                                    → unit#1 v1',
      'app v2 + trigger unit + trigger unit      → unit#2 v2, unit#3 v2',
    ],
    'a request for one version uses it with and without passed': [
      `${UNIT}
      compare: app, app passed unit`,
      'app v1 v2       → unit#1 v1, unit#2 v2',
      'unit#2 ok       → unit#2 succeeded',
      'trigger app v1  → unit#3 v1, compare#1 v1 v2',
    ],
    'a retry uses the original inputs and counts as no new build number': [
      'unit: app trigger, tools',
      'tools t1            →',
      'app v1              → unit#1 v1 t1',
      'tools t2            →',
      'unit#1 fails        → unit#1 failed',
      'retry unit#1        → unit#1.1 v1 t1',
      'retry unit#1.1      → refused NotEnded',
      'unit#1.1 fails      → unit#1.1 failed',
      'retry unit#1.1      → unit#1.2 v1 t1',
      'app v2              → unit#2 v2 t2',
    ],
    'a build that succeeded can be retried while its resource is pinned to another version': [
      UNIT,
      'app v1 v2    → unit#1 v1, unit#2 v2',
      'unit#2 ok    → unit#2 succeeded',
      'pin app v1   →',
      'retry unit#2 → unit#2.1 v2',
    ],
    'a retry is refused if the job forbids it or is paused': [
      'unit (no-retry): app trigger',
      'app v1        → unit#1 v1',
      'unit#1 fails  → unit#1 failed',
      'pause unit    →',
      'retry unit#1  → refused JobPaused RetryDisabled',
    ],
    'a retry that succeeds passes its versions downstream': [
      DEPLOY,
      'app v1        → unit#1 v1',
      'unit#1 fails  → unit#1 failed',
      'retry unit#1  → unit#1.1 v1',
      'unit#1.1 ok   → unit#1.1 succeeded, deploy#1 v1',
    ],
    'a cancel ends a waiting build at once and asks a running one to stop': [
      'unit (approvals 1): app trigger',
      'app v1          → unit#1 v1 waiting',
      'cancel unit#1   → unit#1 cancelled',
      'cancel unit#1   → refused AlreadyEnded',
      'app v2          → unit#2 v2 waiting',
      'bob approves unit#2 → unit#2 pending',
      'unit#2 starts   → unit#2 started',
      'cancel unit#2   → unit#2 is asked to stop',
      'unit#2 cancelled → unit#2 cancelled',
    ],
  },
  approvals: {
    'an approval holds the build after its creation, with its versions': [
      GATED,
      'app v1               → ship#1 v1 waiting',
      'bob approves ship#1  →',
      'eve approves ship#1  → ship#1 pending',
      'eve approves ship#1  → refused NotWaiting',
    ],
    'each person has one vote': [
      GATED,
      'app v1               → ship#1 v1 waiting',
      'bob approves ship#1  →',
      'bob approves ship#1  → refused VotedAlready',
      'bob rejects ship#1   → refused VotedAlready',
    ],
    'one rejection fails the build, whatever was approved before': [
      GATED,
      'app v1               → ship#1 v1 waiting',
      'bob approves ship#1  →',
      'eve rejects ship#1   → ship#1 failed',
      'bob approves ship#1  → refused AlreadyEnded',
    ],
    'a retry of an approved build needs no approval, and a retry of a rejected build does': [
      'ship (approvals 1): app trigger',
      'app v1               → ship#1 v1 waiting',
      'bob approves ship#1  → ship#1 pending',
      'ship#1 fails         → ship#1 failed',
      'retry ship#1         → ship#1.1 v1',
      'ship#1.1 fails       → ship#1.1 failed',
      'retry ship#1.1       → ship#1.2 v1',
      'app v2               → ship#2 v2 waiting',
      'bob rejects ship#2   → ship#2 failed',
      'retry ship#2         → ship#2.1 v2 waiting',
    ],
    'a retry of a build that was cancelled before any approval needs an approval': [
      'ship (approvals 1): app trigger',
      'app v1         → ship#1 v1 waiting',
      'cancel ship#1  → ship#1 cancelled',
      'retry ship#1   → ship#1.1 v1 waiting',
    ],
    'the person who triggered a build may not approve it if that is forbidden, but anyone may reject it': [
      'ship (approvals 1, not-by-trigger): app trigger',
      'app v1                → ship#1 v1 waiting',
      'trigger ship          → ship#2 v1 waiting',
      'ann approves ship#2   → refused OwnBuild',
      'ann approves ship#1   → ship#1 pending',
      'bob approves ship#2   → ship#2 pending',
      'ship#1 fails + ship#2 fails → ship#1 failed, ship#2 failed',
      'trigger ship          → ship#3 v1 waiting',
      'ann rejects ship#3    → ship#3 failed',
      'retry ship#3 by bob   → ship#3.1 v1 waiting',
      'bob approves ship#3.1 → refused OwnBuild',
    ],
    'a waiting build does not delay newer ones: it is superseded, and votes start again': [
      `${UNIT}
      ship (approvals 2): app trigger passed unit`,
      'app v1 v2            → unit#1 v1, unit#2 v2',
      'unit#1 ok            → unit#1 succeeded, ship#1 v1 waiting',
      'bob approves ship#1  →',
      'unit#2 ok            → unit#2 succeeded, ship#1 cancelled, ship#2 v2 waiting',
      'bob approves ship#1  → refused AlreadyEnded',
      'eve approves ship#2  →',
      'bob approves ship#2  → ship#2 pending',
    ],
  },
  'an interruptible job': {
    'cancels its older builds, running, pending or waiting, for any new one': [
      'unit (interruptible): app trigger',
      'app v1          → unit#1 v1',
      'unit#1 starts   → unit#1 started',
      'app v2          → unit#1 cancelled, unit#2 v2',
      'trigger unit    → unit#2 cancelled, unit#3 v2',
      'retry unit#1    → unit#3 cancelled, unit#1.1 v1',
    ],
    'builds only the last of simultaneous versions and shows the others as superseded': [
      'unit (interruptible): app trigger',
      'app v1 v2 v3  → unit#1 v1 cancelled, unit#2 v2 cancelled, unit#3 v3',
    ],
    'with passed uses the newest at once instead of waiting for the running build': [
      `${UNIT}
      deploy (interruptible): app trigger passed unit`,
      'app v1 v2      → unit#1 v1, unit#2 v2',
      'unit#1 ok      → unit#1 succeeded, deploy#1 v1',
      'deploy#1 starts → deploy#1 started',
      'unit#2 ok      → unit#2 succeeded, deploy#1 cancelled, deploy#2 v2',
    ],
    'cancels only builds of the same pull request': [
      'unit (interruptible): app trigger',
      'app a1@1 b1@2  → unit#1 a1@1, unit#2 b1@2',
      'unit#1 starts  → unit#1 started',
      'app a2@1       → unit#1 cancelled, unit#3 a2@1',
      'app c1@3 c2@3  → unit#4 c1@3 cancelled, unit#5 c2@3',
      'unit#2 ok      → unit#2 succeeded',
      'retry unit#1   → unit#3 cancelled, unit#1.1 a1@1',
      'trigger unit   → unit#5 cancelled, unit#6 c2@3',
    ],
    'cancels only builds of the same branch, whatever a get that does not trigger takes': [
      'unit (interruptible): app trigger, tools',
      'tools t1@main             →',
      'app a1@main b1@next       → unit#1 a1@main t1@main, unit#2 b1@next t1@main',
      'tools t2@next             →',
      'app a2@main               → unit#1 cancelled, unit#3 a2@main t2@next',
    ],
    'with passed cancels only builds of the same pull request': [
      `${UNIT}
      deploy (interruptible): app trigger every passed unit`,
      'app a1@1 b1@2  → unit#1 a1@1, unit#2 b1@2',
      'unit#1 ok      → unit#1 succeeded, deploy#1 a1@1',
      'unit#2 ok      → unit#2 succeeded, deploy#2 b1@2',
      'app a2@1       → unit#3 a2@1',
      'unit#3 ok      → deploy#1 cancelled, unit#3 succeeded, deploy#3 a2@1',
    ],
    'that only people trigger cancels builds of the same pull request': [
      'deploy (interruptible): app',
      'app a1@1        →',
      'trigger deploy  → deploy#1 a1@1',
      'app b1@2        →',
      'trigger deploy  → deploy#2 b1@2',
      'trigger deploy  → deploy#2 cancelled, deploy#3 b1@2',
    ],
    'cancels no builds of other jobs': [
      `unit (interruptible): app trigger
      deploy: app trigger passed unit`,
      'app v1     → unit#1 v1',
      'unit#1 ok  → unit#1 succeeded, deploy#1 v1',
      'app v2     → unit#2 v2',
    ],
  },
};
