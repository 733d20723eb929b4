import type { Histories } from './history-format.ts';

const UNIT = 'unit: app trigger';
const SHIP = `${UNIT}
  ship: app trigger passed unit`;
/** Both jobs have built both versions, so only a cascade makes `ship` build the older version again. */
const SHIPPED = [
  'app v1 v2   → unit#1 v1, unit#2 v2',
  'unit#1 ok   → unit#1 succeeded, ship#1 v1',
  'ship#1 ok   → ship#1 succeeded',
  'unit#2 ok   → unit#2 succeeded, ship#2 v2',
  'ship#2 ok   → ship#2 succeeded',
];

/** Which builds downstream follow when a person triggers a version. */
export const CASCADES: Record<string, Histories> = {
  'a version that a person triggers': {
    'reaches jobs through passed once, even if a newer one has passed': [
      SHIP,
      ...SHIPPED,
      'trigger app v1  → unit#3 v1',
      'unit#3 ok       → unit#3 succeeded, ship#3 v1',
      'ship#3 ok       → ship#3 succeeded',
      'why ship        → NothingNew',
      'retry unit#3    → unit#3.1 v1',
      'unit#3.1 ok     → unit#3.1 succeeded',
    ],
    'reaches every job of a chain': [
      `${SHIP}
      tell: app trigger passed ship`,
      'app v1 v2       → unit#1 v1, unit#2 v2',
      'unit#2 ok       → unit#2 succeeded, ship#1 v2',
      'ship#1 ok       → ship#1 succeeded, tell#1 v2',
      'tell#1 ok       → tell#1 succeeded',
      'trigger app v1  → unit#3 v1',
      'unit#3 ok       → unit#3 succeeded, ship#2 v1',
      'ship#2 ok       → ship#2 succeeded, tell#2 v1',
    ],
    'waits for all jobs in passed that build it': [
      `${UNIT}
      lint: app trigger
      ship: app trigger passed unit+lint`,
      'app v1                 → unit#1 v1, lint#1 v1',
      'unit#1 ok + lint#1 ok  → unit#1 succeeded, lint#1 succeeded, ship#1 v1',
      'ship#1 ok              → ship#1 succeeded',
      'trigger app v1         → unit#2 v1, lint#2 v1',
      'unit#2 ok              → unit#2 succeeded',
      'lint#2 ok              → lint#2 succeeded, ship#2 v1',
    ],
    'stops at a build that failed, and continues after a retry that succeeds': [
      SHIP,
      ...SHIPPED,
      'trigger app v1  → unit#3 v1',
      'unit#3 fails    → unit#3 failed',
      'retry unit#3    → unit#3.1 v1',
      'unit#3.1 ok     → unit#3.1 succeeded, ship#3 v1',
    ],
    'does not wait for an automatic build and does not supersede one': [
      SHIP,
      ...SHIPPED,
      'app v3 + trigger app v1 → unit#3 v3, unit#4 v1',
      'unit#3 ok       → unit#3 succeeded, ship#3 v3',
      'unit#4 ok       → unit#4 succeeded, ship#4 v1',
    ],
    'makes one build if the version is new downstream as well': [
      SHIP,
      'app v1          → unit#1 v1',
      'unit#1 fails    → unit#1 failed',
      'trigger app v1  → unit#2 v1',
      'unit#2 ok       → unit#2 succeeded, ship#1 v1',
    ],
    'stops at a get that does not trigger': [
      `${UNIT}
      ship: app passed unit`,
      'app v1          → unit#1 v1',
      'trigger app v1  → unit#2 v1',
      'unit#2 ok       → unit#2 succeeded',
    ],
    'stops while another version is pinned': [
      SHIP,
      ...SHIPPED,
      'pin app v2      →',
      'trigger app v1  → unit#3 v1',
      'unit#3 ok       → unit#3 succeeded',
    ],
    'stops at a paused job, also after it is unpaused': [
      SHIP,
      ...SHIPPED,
      'trigger app v1  → unit#3 v1',
      'pause ship      →',
      'unit#3 ok       → unit#3 succeeded',
      'unpause ship    →',
    ],
    'reaches a downstream job with the other versions of the same upstream build': [
      `unit: app trigger, docs
      ship: app trigger passed unit, docs passed unit`,
      'docs d1         →',
      'app v1          → unit#1 v1 d1',
      'unit#1 ok       → unit#1 succeeded, ship#1 v1 d1',
      'ship#1 ok       → ship#1 succeeded',
      'docs d2         →',
      'app v2          → unit#2 v2 d2',
      'unit#2 ok       → unit#2 succeeded, ship#2 v2 d2',
      'ship#2 ok       → ship#2 succeeded',
      'trigger app v1  → unit#3 v1 d2',
      'unit#3 ok       → unit#3 succeeded, ship#3 v1 d2',
    ],
  },
};
