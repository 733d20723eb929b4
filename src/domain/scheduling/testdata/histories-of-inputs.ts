import type { Histories } from './history-format.ts';

const UNIT = 'unit: app trigger';
const SHIP = `${UNIT}
  ship: app trigger passed unit`;
const BOTH = `${UNIT}
  lint: app trigger
  ship: app trigger passed unit+lint`;

/** Basic cases of single inputs, `passed` and `every`. Each row tests one idea. */
export const INPUTS: Record<string, Histories> = {
  'the newest version': {
    'is used by a get that triggers': [UNIT, 'app v1  → unit#1 v1'],
    'is used by a get that does not trigger, on request': [
      'unit: app',
      'app v1 v2     →',
      'trigger unit  → unit#1 v2',
    ],
    'is used again by each requested build': [
      'unit: app',
      'app v1        →',
      'trigger unit  → unit#1 v1',
      'app v2        →',
      'trigger unit  → unit#2 v2',
    ],
    'of each input is used, in whatever order they were found': [
      'unit: app trigger latest, docs',
      'docs d1 d2  →',
      'app v1 v2   → unit#1 v2 d2',
    ],
    'of an input that does not trigger starts nothing': [
      'unit: app trigger, docs',
      'docs d1  →',
      'app v1   → unit#1 v1 d1',
      'docs d2  →',
      'why unit → NothingNew',
    ],
    'of an input that does not trigger is used by the next build': [
      'unit: app trigger, docs',
      'docs d1  →',
      'app v1   → unit#1 v1 d1',
      'docs d2  →',
      'app v2   → unit#2 v2 d2',
    ],
    'of either trigger starts a build': [
      'unit: app trigger latest, docs trigger latest',
      'app v1 + docs d1  → unit#1 v1 d1',
      'unit#1 ok         → unit#1 succeeded',
      'docs d2           → unit#2 v1 d2',
      'unit#2 ok         → unit#2 succeeded',
      'app v2            → unit#3 v2 d2',
    ],
    'of both triggers together starts one build': [
      'unit: app trigger latest, docs trigger latest',
      'app v1 + docs d1  → unit#1 v1 d1',
      'unit#1 ok         → unit#1 succeeded',
      'app v2 + docs d2  → unit#2 v2 d2',
    ],
    'triggers nothing if a build used it, even one that failed': [
      'unit: app trigger latest',
      'app v1        → unit#1 v1',
      'unit#1 fails  → unit#1 failed',
      'why unit      → NothingNew',
    ],
    'triggers nothing if a requested build used it': [
      'unit (hooks): app trigger latest',
      'app v1        →',
      'trigger unit  → unit#1 v1',
      'hooks app v1  →',
      'why unit      → NothingNew',
    ],
  },
  'a missing version': {
    'of the only input prevents builds': ['unit: app trigger', 'why unit  → NoVersion'],
    'of one input prevents builds, and then the newest of the others are used': [
      'unit: app trigger latest, docs',
      'app v1    →',
      'why unit  → NoVersion',
      'app v2    →',
      'docs d1   → unit#1 v2 d1',
    ],
    'has a reason for each input': [
      'unit: app trigger, docs, tools',
      'app v1        →',
      'trigger unit  → refused NoVersion NoVersion',
    ],
    'in the upstream job has the reason that nothing passed': [
      SHIP,
      'app v1    → unit#1 v1',
      'why ship  → NothingPassed',
    ],
    'has the reason that all are disabled': [
      'unit: app trigger, docs',
      'docs d1 + disable docs d1  →',
      'app v1                     →',
      'why unit                   → AllDisabled',
    ],
    'of one resource does not delay a job that does not get it': [
      `${UNIT}
      ship: app trigger passed unit
      report: docs trigger`,
      'docs d1    → report#1 d1',
      'app v1     → unit#1 v1',
      'unit#1 ok  → unit#1 succeeded, ship#1 v1',
    ],
  },
  'a version with passed': {
    'waits for the upstream build to succeed': [
      SHIP,
      'app v1         → unit#1 v1',
      'unit#1 starts  → unit#1 started',
      'why ship       → NothingPassed',
      'unit#1 ok      → unit#1 succeeded, ship#1 v1',
    ],
    'stops at a build that failed': [
      SHIP,
      'app v1        → unit#1 v1',
      'unit#1 fails  → unit#1 failed',
    ],
    'stops at a build that was cancelled': [
      SHIP,
      'app v1            → unit#1 v1',
      'unit#1 starts     → unit#1 started',
      'unit#1 cancelled  → unit#1 cancelled',
      'why ship          → NothingPassed',
    ],
    'is an older one if the newest failed upstream': [
      SHIP,
      'app v1 v2     → unit#1 v1, unit#2 v2',
      'unit#2 fails  → unit#2 failed',
      'unit#1 ok     → unit#1 succeeded, ship#1 v1',
      'why ship      → NothingNew NewestNotPassed',
    ],
    'passes if one of its builds succeeded, whatever the others did': [
      SHIP,
      'app v1        → unit#1 v1',
      'unit#1 ok     → unit#1 succeeded, ship#1 v1',
      'trigger unit  → unit#2 v1',
      'unit#2 fails  → unit#2 failed',
      'trigger ship  → ship#2 v1',
    ],
    'goes through a chain of jobs one by one': [
      `${UNIT}
      pack: app trigger passed unit
      ship: app trigger passed pack`,
      'app v1     → unit#1 v1',
      'unit#1 ok  → unit#1 succeeded, pack#1 v1',
      'why ship   → NothingPassed',
      'pack#1 ok  → pack#1 succeeded, ship#1 v1',
    ],
    'does not skip a job of the chain': [
      `${UNIT}
      pack: app trigger passed unit
      ship: app trigger passed unit+pack`,
      'app v1        → unit#1 v1',
      'unit#1 ok     → unit#1 succeeded, pack#1 v1',
      'pack#1 fails  → pack#1 failed',
      'why ship      → NothingPassed',
    ],
    'reaches each job that waits for the same one': [
      `${UNIT}
      east: app trigger passed unit
      west: app trigger passed unit`,
      'app v1     → unit#1 v1',
      'unit#1 ok  → unit#1 succeeded, east#1 v1, west#1 v1',
    ],
    'is not taken from a job that only used another resource': [
      `unit: docs trigger
      ship: app trigger passed unit`,
      'docs d1    → unit#1 d1',
      'app v1     →',
      'unit#1 ok  → unit#1 succeeded',
      'why ship   → NothingPassed',
    ],
    'is combined with the newest version of an input without passed': [
      `${UNIT}
      ship: app trigger passed unit, tools`,
      'tools t1   →',
      'app v1     → unit#1 v1',
      'tools t2   →',
      'unit#1 ok  → unit#1 succeeded, ship#1 v1 t2',
    ],
    'that existed before its job triggers nothing there': [
      UNIT,
      'app v1                             → unit#1 v1',
      'unit#1 ok                          → unit#1 succeeded',
      'add ship: app trigger passed unit  →',
      'trigger ship                       → ship#1 v1',
    ],
  },
  'several jobs in passed': {
    'must all have succeeded with the version': [
      BOTH,
      'app v1     → unit#1 v1, lint#1 v1',
      'unit#1 ok  → unit#1 succeeded',
      'why ship   → NothingPassed',
      'lint#1 ok  → lint#1 succeeded, ship#1 v1',
    ],
    'use the newest version that all of them have': [
      BOTH,
      'app v1 v2 v3          → unit#1 v1, unit#2 v2, unit#3 v3, lint#1 v1, lint#2 v2, lint#3 v3',
      'unit#1 ok + unit#3 ok → unit#1 succeeded, unit#3 succeeded',
      'lint#2 ok             → lint#2 succeeded',
      'why ship              → NothingPassed',
      'lint#1 ok             → lint#1 succeeded, ship#1 v1',
    ],
    'find no version if they passed different ones': [
      BOTH,
      'app v1 v2                 → unit#1 v1, unit#2 v2, lint#1 v1, lint#2 v2',
      'unit#1 ok + unit#2 fails  → unit#1 succeeded, unit#2 failed',
      'lint#2 ok + lint#1 fails  → lint#1 failed, lint#2 succeeded',
      'why ship                  → NothingPassed',
    ],
    'have one build, when the last of them succeeds': [
      BOTH,
      'app v1                 → unit#1 v1, lint#1 v1',
      'unit#1 ok + lint#1 ok  → unit#1 succeeded, lint#1 succeeded, ship#1 v1',
      'trigger lint           → lint#2 v1',
      'lint#2 ok              → lint#2 succeeded',
      'why ship               → NothingNew',
    ],
  },
  'version = every': {
    'gives each version a build, the oldest first': [
      `${UNIT}
      ship: app trigger every passed unit`,
      'app v1 v2 v3                       → unit#1 v1, unit#2 v2, unit#3 v3',
      'unit#1 ok + unit#2 ok + unit#3 ok  → unit#1 succeeded, unit#2 succeeded, unit#3 succeeded, ' +
        'ship#1 v1, ship#2 v2, ship#3 v3',
    ],
    'leaves out versions that failed upstream': [
      `${UNIT}
      ship: app trigger every passed unit`,
      'app v1 v2 v3                          → unit#1 v1, unit#2 v2, unit#3 v3',
      'unit#1 ok + unit#2 fails + unit#3 ok  → unit#1 succeeded, unit#2 failed, unit#3 succeeded, ship#1 v1, ship#2 v3',
    ],
    'builds a version once, even if upstream built it twice': [
      `${UNIT}
      ship: app trigger every passed unit`,
      'app v1        → unit#1 v1',
      'unit#1 ok     → unit#1 succeeded, ship#1 v1',
      'retry unit#1  → unit#1.1 v1',
      'unit#1.1 ok   → unit#1.1 succeeded',
      'why ship      → NothingNew',
    ],
    'combines each version with the newest of an input that skips': [
      'unit: app trigger, docs trigger latest',
      'docs d1 d2      →',
      'app v1 v2       → unit#1 v1 d2, unit#2 v2 d2',
    ],
    'builds each version of two inputs once': [
      'unit: app trigger, docs trigger',
      'app v1 + docs d1  → unit#1 v1 d1',
      'app v2            → unit#2 v2 d1',
      'docs d2           → unit#3 v2 d2',
      'why unit          → NothingNew',
    ],
    'without a trigger has no effect: a requested build uses the newest': [
      'unit: app every',
      'app v1 v2 v3  →',
      'trigger unit  → unit#1 v3',
    ],
    'does not wait for a running build': [
      UNIT,
      'app v1         → unit#1 v1',
      'unit#1 starts  → unit#1 started',
      'app v2 v3      → unit#2 v2, unit#3 v3',
    ],
    'with inputs that share a job uses the versions of its build': [
      `test: app trigger, docs
      ship: app trigger every passed test, docs passed test`,
      'docs d1                →',
      'app v1                 → test#1 v1 d1',
      'docs d2                →',
      'app v2                 → test#2 v2 d2',
      'test#1 ok + test#2 ok  → test#1 succeeded, test#2 succeeded, ship#1 v1 d1, ship#2 v2 d2',
    ],
  },
};
