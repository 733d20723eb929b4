import type { Histories } from './history-format.ts';

const UNIT = 'unit: app trigger';
const SHIP = `${UNIT}
  ship: app trigger passed unit`;
const TESTED = `test: app trigger, docs trigger
  ship: app trigger passed test, docs passed test`;
const QUIET = `test: app, docs
  ship: app trigger passed test, docs trigger passed test`;

/** Inputs that must agree, pins, disabled versions, retries, and differences from Concourse. */
export const JOINS_AND_PINS: Record<string, Histories> = {
  'inputs that passed one job': {
    'come from one build of it': [
      TESTED,
      'app v1 + docs d1  → test#1 v1 d1',
      'test#1 ok         → test#1 succeeded, ship#1 v1 d1',
    ],
    'do not combine two builds, even if each has the newest of one input': [
      QUIET,
      'app v1 + docs d1   →',
      'trigger test       → test#1 v1 d1',
      'app v2             →',
      'trigger test       → test#2 v2 d1',
      'test#2 ok          → test#2 succeeded, ship#1 v2 d1',
      'pin app v1 + docs d2 → ship#1 cancelled',
      'trigger test       → test#3 v1 d2',
      'unpin app          → ship#2 v2 d1',
      'ship#2 ok          → ship#2 succeeded',
      'test#3 ok          → test#3 succeeded',
      'why ship           → NothingNew',
    ],
    'use the previous build if the newest failed': [
      QUIET,
      'app v1 + docs d1  →',
      'trigger test      → test#1 v1 d1',
      'app v2 + docs d2  →',
      'trigger test      → test#2 v2 d2',
      'test#2 fails      → test#2 failed',
      'test#1 ok         → test#1 succeeded, ship#1 v1 d1',
    ],
    'are new if one of them is': [
      QUIET,
      'app v1 + docs d1  →',
      'trigger test      → test#1 v1 d1',
      'test#1 ok         → test#1 succeeded, ship#1 v1 d1',
      'ship#1 ok + docs d2 → ship#1 succeeded',
      'trigger test      → test#2 v1 d2',
      'test#2 ok         → test#2 succeeded, ship#2 v1 d2',
    ],
    'do not limit an input without passed': [
      `test: app, docs
      ship: app trigger passed test, docs`,
      'app v1 + docs d1  →',
      'trigger test      → test#1 v1 d1',
      'docs d2           →',
      'test#1 ok         → test#1 succeeded, ship#1 v1 d2',
    ],
  },
  'paths of jobs that meet in one job': {
    'use one version that went through all of them': [
      `${UNIT}
      east: app trigger passed unit
      west: app trigger passed unit
      ship: app trigger passed east+west`,
      'app v1     → unit#1 v1',
      'unit#1 ok  → unit#1 succeeded, east#1 v1, west#1 v1',
      'east#1 ok  → east#1 succeeded',
      'west#1 ok  → west#1 succeeded, ship#1 v1',
    ],
    'wait while they are at different versions': [
      `${UNIT}
      east: app trigger every passed unit
      west: app trigger every passed unit
      ship: app trigger passed east+west`,
      'app v1 v2                → unit#1 v1, unit#2 v2',
      'unit#1 ok + unit#2 ok    → unit#1 succeeded, unit#2 succeeded, east#1 v1, east#2 v2, west#1 v1, west#2 v2',
      'east#2 ok + west#1 ok    → east#2 succeeded, west#1 succeeded',
      'why ship                 → NothingPassed',
      'east#1 ok                → east#1 succeeded, ship#1 v1',
      'ship#1 ok + west#2 ok    → west#2 succeeded, ship#1 succeeded, ship#2 v2',
    ],
    'need not agree on resources that only one of them has': [
      `unit: app trigger
      bake: image trigger
      ship: app trigger passed unit, image trigger passed bake`,
      'app v1     → unit#1 v1',
      'image i1   → bake#1 i1',
      'unit#1 ok  → unit#1 succeeded',
      'why ship   → NothingPassed',
      'bake#1 ok  → bake#1 succeeded, ship#1 v1 i1',
    ],
    'agree on what a shared job used and what it put': [
      `build: app trigger
      scan: image trigger passed build
      ship: app trigger passed build, image trigger passed build+scan`,
      'app v1               → build#1 v1',
      'build#1 ok image=i1  → build#1 succeeded, scan#1 i1',
      'why ship             → NothingPassed',
      'scan#1 ok            → scan#1 succeeded, ship#1 v1 i1',
    ],
  },
  'a pin': {
    'selects an older version': [
      'unit: app',
      'app v1 v2 + pin app v1  →',
      'trigger unit            → unit#1 v1',
    ],
    'to a version without a build builds it': [
      'unit: app trigger',
      'app v1 v2 + pin app v1  → unit#1 v1',
    ],
    'keeps versions that are found meanwhile from triggering': [
      UNIT,
      'app v1      → unit#1 v1',
      'pin app v1  →',
      'app v2      →',
      'why unit    → NothingNew Pinned',
    ],
    'of an input that does not trigger is used by each build': [
      'unit: app trigger, docs',
      'docs d1 d2 + pin docs d1  →',
      'app v1                    → unit#1 v1 d1',
      'app v2                    → unit#2 v2 d1',
    ],
    'also selects the version downstream': [
      SHIP,
      'app v1 v2              → unit#1 v1, unit#2 v2',
      'unit#1 starts + unit#2 starts → unit#1 started, unit#2 started',
      'pin app v1             →',
      'unit#2 ok              → unit#2 succeeded',
      'why ship               → PinnedNotPassed',
      'unit#1 ok              → unit#1 succeeded, ship#1 v1',
    ],
    'can be removed, and then the newest ready version is used': [
      'unit: app trigger latest',
      'app v1               → unit#1 v1',
      'unit#1 ok + pin app v1 → unit#1 succeeded',
      'app v2 v3            →',
      'unpin app            → unit#2 v3',
    ],
    'can move, which cancels the unstarted builds of its former version': [
      'unit (approvals 1): app trigger',
      'app v1 + pin app v1  → unit#1 v1 waiting',
      'app v2               →',
      'pin app v2           → unit#1 cancelled, unit#2 v2 waiting',
    ],
  },
  'a disabled version': {
    'is skipped in favour of the one before': [
      'unit: app',
      'app v1 v2 + disable app v2  →',
      'trigger unit                → unit#1 v1',
    ],
    'is skipped downstream too, even if it passed': [
      SHIP,
      'app v1 v2              → unit#1 v1, unit#2 v2',
      'unit#1 starts + unit#2 starts → unit#1 started, unit#2 started',
      'disable app v2         →',
      'unit#1 ok + unit#2 ok  → unit#1 succeeded, unit#2 succeeded, ship#1 v1',
    ],
    'triggers nothing if it is the newest': [
      'unit: app trigger latest',
      'app v1 + disable app v1  →',
      'why unit  → AllDisabled',
    ],
    'counts again once it is enabled': [
      'unit: app trigger latest',
      'app v1 + disable app v1  →',
      'enable app v1            → unit#1 v1',
    ],
    'is not built again when it is enabled if it was built before': [
      UNIT,
      'app v1          → unit#1 v1',
      'unit#1 ok       → unit#1 succeeded',
      'disable app v1  →',
      'enable app v1   →',
      'why unit        → NothingNew',
    ],
    'in one input selects the older build without it': [
      QUIET,
      'app v1 + docs d1  →',
      'trigger test      → test#1 v1 d1',
      'app v2 + docs d2  →',
      'trigger test      → test#2 v2 d2',
      'test#1 starts + test#2 starts + disable docs d2 → test#1 started, test#2 started',
      'test#1 ok + test#2 ok → test#1 succeeded, test#2 succeeded, ship#1 v1 d1',
    ],
  },
  'a version of a put': {
    'has passed the job that put it': [
      `build: app trigger
      ship: image trigger passed build`,
      'app v1               → build#1 v1',
      'build#1 ok image=i1  → build#1 succeeded, ship#1 i1',
    ],
    'reaches jobs without passed': [
      `build: app trigger
      scan: image trigger`,
      'app v1               → build#1 v1',
      'build#1 ok image=i1  → build#1 succeeded, scan#1 i1',
    ],
    'that existed before passes again and triggers nothing twice': [
      `build: app trigger
      ship: image trigger passed build`,
      'app v1               → build#1 v1',
      'build#1 ok image=i1  → build#1 succeeded, ship#1 i1',
      'ship#1 ok            → ship#1 succeeded',
      'app v2               → build#2 v2',
      'build#2 ok image=i1  → build#2 succeeded',
      'why ship             → NothingNew',
    ],
  },
  'a retry': {
    'uses the same versions, even if newer ones exist': [
      UNIT,
      'app v1        → unit#1 v1',
      'unit#1 fails  → unit#1 failed',
      'app v2        → unit#2 v2',
      'retry unit#1  → unit#1.1 v1',
    ],
    'that succeeds lets its version pass': [
      SHIP,
      'app v1        → unit#1 v1',
      'unit#1 fails  → unit#1 failed',
      'retry unit#1  → unit#1.1 v1',
      'unit#1.1 ok   → unit#1.1 succeeded, ship#1 v1',
    ],
    'that fails does not undo an earlier success': [
      SHIP,
      'app v1         → unit#1 v1',
      'unit#1 ok      → unit#1 succeeded, ship#1 v1',
      'retry unit#1   → unit#1.1 v1',
      'unit#1.1 fails → unit#1.1 failed',
      'trigger ship   → ship#2 v1',
    ],
    'does not delay an automatic build': [
      SHIP,
      'app v1         → unit#1 v1',
      'unit#1 ok      → unit#1 succeeded, ship#1 v1',
      'ship#1 fails   → ship#1 failed',
      'retry ship#1   → ship#1.1 v1',
      'ship#1.1 starts → ship#1.1 started',
      'app v2         → unit#2 v2',
      'unit#2 ok      → unit#2 succeeded, ship#2 v2',
    ],
  },
  'differences from Concourse on purpose (ADR 0010)': {
    'versions are compared, not builds: a retry of an old build triggers no old version downstream': [
      SHIP,
      'app v1 v2     → unit#1 v1, unit#2 v2',
      'unit#1 fails  → unit#1 failed',
      'unit#2 ok     → unit#2 succeeded, ship#1 v2',
      'ship#1 ok     → ship#1 succeeded',
      'retry unit#1  → unit#1.1 v1',
      'unit#1.1 ok   → unit#1.1 succeeded',
      'why ship      → NothingNew',
    ],
    'a build that ends late triggers no old version downstream either': [
      SHIP,
      'app v1 v2  → unit#1 v1, unit#2 v2',
      'unit#2 ok  → unit#2 succeeded, ship#1 v2',
      'ship#1 ok  → ship#1 succeeded',
      'unit#1 ok  → unit#1 succeeded',
      'why ship   → NothingNew',
    ],
    'version = every also builds an older version that passes after a newer one': [
      `${UNIT}
      ship: app trigger every passed unit`,
      'app v1 v2  → unit#1 v1, unit#2 v2',
      'unit#2 ok  → unit#2 succeeded, ship#1 v2',
      'unit#1 ok  → unit#1 succeeded, ship#2 v1',
    ],
    'a trigger without passed builds every version, and not only the newest': [
      UNIT,
      'app v1 v2 v3  → unit#1 v1, unit#2 v2, unit#3 v3',
    ],
  },
};
