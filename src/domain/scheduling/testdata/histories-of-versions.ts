import type { Histories } from './history-format.ts';

const UNIT = 'unit: tools trigger';
const DEPLOY = `${UNIT}
  deploy: tools trigger every passed unit`;
const LATEST = 'unit: tools latest trigger';

/** More versions than one decision takes. */
const MANY = Array.from({ length: 120 }, (_, index) => index + 1);

/** Which version of a resource is the newest, and which of them get builds. */
export const VERSIONS: Record<string, Histories> = {
  'the order of versions': {
    "is that of the check's output: a new one in the middle is built, and the newest stays the newest":
      [
        UNIT,
        'tools prints a1 a2          → unit#1 a1, unit#2 a2',
        'tools prints a1 a1.1 a2     → unit#3 a1.1',
        'trigger unit                → unit#4 a2',
      ],
    'gives a new version in the middle no build with version = latest': [
      LATEST,
      'tools prints a1 a2       → unit#1 a2',
      'unit#1 ok                → unit#1 succeeded',
      'tools prints a1 a1.1 a2  →',
      'why unit                 → NothingNew',
      'tools prints a1.1 a2 a3  → unit#2 a3',
    ],
    'makes an older version the newest if it is printed last with something new': [
      UNIT,
      'tools prints a1 a2 a3  → unit#1 a1, unit#2 a2, unit#3 a3',
      'tools prints a2.1 a2   → unit#4 a2.1',
      'trigger unit           → unit#5 a2',
    ],
    'does not change if nothing printed is new': [
      UNIT,
      'tools prints a1 a2  → unit#1 a1, unit#2 a2',
      'tools prints a2 a1  →',
      'trigger unit        → unit#3 a2',
    ],
    'counts a repeated version where it is printed last': [
      'unit: tools',
      'tools prints a2 a1 a2  →',
      'trigger unit           → unit#1 a2',
    ],
    'triggers nothing if a version from before the job moves': [
      UNIT,
      'tools prints a1 a2            → unit#1 a1, unit#2 a2',
      'add slow: tools trigger       →',
      'tools prints a1 a1.1 a2       → unit#3 a1.1, slow#1 a1.1',
      'trigger slow                  → slow#2 a2',
    ],
    'also applies to what has passed': [
      `${UNIT}
      deploy: tools passed unit`,
      'tools prints a1 a2          → unit#1 a1, unit#2 a2',
      'unit#1 ok + unit#2 ok       → unit#1 succeeded, unit#2 succeeded',
      'tools prints a1 a1.1 a2     → unit#3 a1.1',
      'unit#3 ok                   → unit#3 succeeded',
      'trigger deploy              → deploy#1 a2',
    ],
    'decides after an unpin: only the newest triggers, not an older one that was found last': [
      UNIT,
      'tools prints a1             → unit#1 a1',
      'pin tools a1                →',
      'tools prints a1 a3          →',
      'tools prints a1 a2 a3       →',
      'unpin tools                 → unit#2 a3',
    ],
    'lets a version that an unpin skipped trigger once a check prints it as the newest': [
      UNIT,
      'tools prints a1             → unit#1 a1',
      'pin tools a1                →',
      'tools prints a1 a2 a3       →',
      'unpin tools                 → unit#2 a3',
      'tools prints a4 a2          → unit#3 a4, unit#4 a2',
    ],
    'lets the newest be used while hooks of one in the middle run': [
      `unit (hooks): tools trigger
      report: tools, app trigger`,
      'tools prints a1 + hooks tools a1             → unit#1 a1',
      'tools prints a1 a2 + hooks tools a2          → unit#2 a2',
      'tools prints a1 a1.1 a2                      →',
      'app v1                                       → report#1 a2 v1',
      'hooks tools a1.1                             → unit#3 a1.1',
    ],
  },
  'every version that passed': {
    'is built, the oldest first, however many pass at once': [
      DEPLOY,
      `tools prints ${MANY.map((n) => `a${n}`).join(' ')} → ${MANY.map((n) => `unit#${n} a${n}`).join(', ')}`,
      `${MANY.map((n) => `unit#${n} ok`).join(' + ')} → ${[
        ...MANY.map((n) => `unit#${n} succeeded`),
        ...MANY.map((n) => `deploy#${n} a${n}`),
      ].join(', ')}`,
    ],
  },
};
