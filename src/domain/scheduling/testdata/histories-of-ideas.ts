import type { Histories } from './history-format.ts';

const UNIT = 'unit: app trigger';
const SHIP = `${UNIT}
  ship: app trigger passed unit`;
const BOTH = `${UNIT}
  lint: app trigger
  ship: app trigger passed unit+lint`;

/** What schedulers of this model are tried with, one idea a row: single inputs, `passed` and `every`. */
export const IDEAS: Record<string, Histories> = {
  'the newest version': {
    'is taken by a get that triggers': [UNIT, 'app v1  → unit#1 v1'],
    'is taken by a get that does not trigger, when somebody asks': [
      'unit: app',
      'app v1 v2     →',
      'trigger unit  → unit#1 v2',
    ],
    'is taken anew by each build that somebody asks for': [
      'unit: app',
      'app v1        →',
      'trigger unit  → unit#1 v1',
      'app v2        →',
      'trigger unit  → unit#2 v2',
    ],
    'of each input is taken, whichever of them was found first': [
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
    'of an input that does not trigger comes along with the next build': [
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
    'that a build has used starts no other, though that build failed': [
      'unit: app trigger latest',
      'app v1        → unit#1 v1',
      'unit#1 fails  → unit#1 failed',
      'why unit      → NothingNew',
    ],
    'that somebody has built by hand starts no build by itself': [
      'unit (hooks): app trigger latest',
      'app v1        →',
      'trigger unit  → unit#1 v1',
      'hooks app v1  →',
      'why unit      → NothingNew',
    ],
  },
  'a missing version': {
    'of the only input makes no build': ['unit: app trigger', 'why unit  → NoVersion'],
    'of one input holds the others back, and their newest is taken then': [
      'unit: app trigger latest, docs',
      'app v1    →',
      'why unit  → NoVersion',
      'app v2    →',
      'docs d1   → unit#1 v2 d1',
    ],
    'of each input is told for each': [
      'unit: app trigger, docs, tools',
      'app v1        →',
      'trigger unit  → refused NoVersion NoVersion',
    ],
    'in the upstream job is told as nothing that passed': [
      SHIP,
      'app v1    → unit#1 v1',
      'why ship  → NothingPassed',
    ],
    'because all are disabled is told as that': [
      'unit: app trigger, docs',
      'docs d1 + disable docs d1  →',
      'app v1                     →',
      'why unit                   → AllDisabled',
    ],
    'of an optional job downstream holds nothing else up': [
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
    'does not go on from a build that failed': [
      SHIP,
      'app v1        → unit#1 v1',
      'unit#1 fails  → unit#1 failed',
    ],
    'does not go on from a build that was cancelled': [
      SHIP,
      'app v1            → unit#1 v1',
      'unit#1 starts     → unit#1 started',
      'unit#1 cancelled  → unit#1 cancelled',
      'why ship          → NothingPassed',
    ],
    'is an older one when the newest failed upstream': [
      SHIP,
      'app v1 v2     → unit#1 v1, unit#2 v2',
      'unit#2 fails  → unit#2 failed',
      'unit#1 ok     → unit#1 succeeded, ship#1 v1',
      'why ship      → NothingNew NewestNotPassed',
    ],
    'passes when one of several builds of it succeeded, whatever became of the others': [
      SHIP,
      'app v1        → unit#1 v1',
      'unit#1 ok     → unit#1 succeeded, ship#1 v1',
      'trigger unit  → unit#2 v1',
      'unit#2 fails  → unit#2 failed',
      'trigger ship  → ship#2 v1',
    ],
    'goes through a chain of jobs, one after the other': [
      `${UNIT}
      pack: app trigger passed unit
      ship: app trigger passed pack`,
      'app v1     → unit#1 v1',
      'unit#1 ok  → unit#1 succeeded, pack#1 v1',
      'why ship   → NothingPassed',
      'pack#1 ok  → pack#1 succeeded, ship#1 v1',
    ],
    'does not jump over a job of the chain': [
      `${UNIT}
      pack: app trigger passed unit
      ship: app trigger passed unit+pack`,
      'app v1        → unit#1 v1',
      'unit#1 ok     → unit#1 succeeded, pack#1 v1',
      'pack#1 fails  → pack#1 failed',
      'why ship      → NothingPassed',
    ],
    'goes to each of several jobs that wait for the same one': [
      `${UNIT}
      east: app trigger passed unit
      west: app trigger passed unit`,
      'app v1     → unit#1 v1',
      'unit#1 ok  → unit#1 succeeded, east#1 v1, west#1 v1',
    ],
    'is not taken from a job that only ever took another resource': [
      `unit: docs trigger
      ship: app trigger passed unit`,
      'docs d1    → unit#1 d1',
      'app v1     →',
      'unit#1 ok  → unit#1 succeeded',
      'why ship   → NothingPassed',
    ],
    'beside an input without passed takes the newest of that': [
      `${UNIT}
      ship: app trigger passed unit, tools`,
      'tools t1   →',
      'app v1     → unit#1 v1',
      'tools t2   →',
      'unit#1 ok  → unit#1 succeeded, ship#1 v1 t2',
    ],
    'that is known before its job exists starts nothing there': [
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
    'agree on the newest version that all of them have': [
      BOTH,
      'app v1 v2 v3          → unit#1 v1, unit#2 v2, unit#3 v3, lint#1 v1, lint#2 v2, lint#3 v3',
      'unit#1 ok + unit#3 ok → unit#1 succeeded, unit#3 succeeded',
      'lint#2 ok             → lint#2 succeeded',
      'why ship              → NothingPassed',
      'lint#1 ok             → lint#1 succeeded, ship#1 v1',
    ],
    'do not agree when they passed different versions only': [
      BOTH,
      'app v1 v2                 → unit#1 v1, unit#2 v2, lint#1 v1, lint#2 v2',
      'unit#1 ok + unit#2 fails  → unit#1 succeeded, unit#2 failed',
      'lint#2 ok + lint#1 fails  → lint#1 failed, lint#2 succeeded',
      'why ship                  → NothingPassed',
    ],
    'build once, when the last of them succeeds': [
      BOTH,
      'app v1                 → unit#1 v1, lint#1 v1',
      'unit#1 ok + lint#1 ok  → unit#1 succeeded, lint#1 succeeded, ship#1 v1',
      'trigger lint           → lint#2 v1',
      'lint#2 ok              → lint#2 succeeded',
      'why ship               → NothingNew',
    ],
  },
  'every version': {
    'has a build, the oldest first': [
      `${UNIT}
      ship: app trigger every passed unit`,
      'app v1 v2 v3                       → unit#1 v1, unit#2 v2, unit#3 v3',
      'unit#1 ok + unit#2 ok + unit#3 ok  → unit#1 succeeded, unit#2 succeeded, unit#3 succeeded, ship#1 v1, ship#2 v2, ship#3 v3',
    ],
    'but those that failed upstream has a build': [
      `${UNIT}
      ship: app trigger every passed unit`,
      'app v1 v2 v3                          → unit#1 v1, unit#2 v2, unit#3 v3',
      'unit#1 ok + unit#2 fails + unit#3 ok  → unit#1 succeeded, unit#2 failed, unit#3 succeeded, ship#1 v1, ship#2 v3',
    ],
    'has one build, though upstream built it twice': [
      `${UNIT}
      ship: app trigger every passed unit`,
      'app v1        → unit#1 v1',
      'unit#1 ok     → unit#1 succeeded, ship#1 v1',
      'retry unit#1  → unit#1.1 v1',
      'unit#1.1 ok   → unit#1.1 succeeded',
      'why ship      → NothingNew',
    ],
    'is built beside the newest of an input that skips': [
      'unit: app trigger, docs trigger latest',
      'docs d1 d2      →',
      'app v1 v2       → unit#1 v1 d2, unit#2 v2 d2',
    ],
    'of two inputs is built, none of them twice': [
      'unit: app trigger, docs trigger',
      'app v1 + docs d1  → unit#1 v1 d1',
      'app v2            → unit#2 v2 d1',
      'docs d2           → unit#3 v2 d2',
      'why unit          → NothingNew',
    ],
    'without a trigger means nothing: somebody asks and gets the newest': [
      'unit: app every',
      'app v1 v2 v3  →',
      'trigger unit  → unit#1 v3',
    ],
    'that is built while another one runs does not wait': [
      UNIT,
      'app v1         → unit#1 v1',
      'unit#1 starts  → unit#1 started',
      'app v2 v3      → unit#2 v2, unit#3 v3',
    ],
    'that passed with an input that must agree takes what was in its build': [
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
