import type { Histories } from './history-format.ts';

const UNIT = 'unit: app trigger';
const DEPLOY = `${UNIT}
  deploy: app trigger passed unit`;
const DIAMOND = `${UNIT}
  lint: app trigger
  deploy: app trigger passed unit+lint`;

/** What pauses, pins and other states of a pipeline do to its builds. */
export const STATES: Record<string, Histories> = {
  'states of the manual': {
    'a paused pipeline records versions and creates no builds, running builds end, and later only newer versions trigger':
      [
        DEPLOY,
        'app v1         → unit#1 v1',
        'unit#1 starts  → unit#1 started',
        'pause          →',
        'app v2         →',
        'unit#1 ok      → unit#1 succeeded',
        'why unit       → PipelinePaused',
        'unpause        →',
        'app v3         → unit#2 v3',
        'unit#2 ok      → unit#2 succeeded, deploy#1 v3',
      ],
    'one job of a paused pipeline can be unpaused': [
      DIAMOND,
      'pause         →',
      'unpause lint  →',
      'app v1        → lint#1 v1',
      'why unit      → PipelinePaused',
    ],
    'a paused job creates no builds, and later none for versions that were found meanwhile': [
      DEPLOY,
      'pause deploy    →',
      'app v1          → unit#1 v1',
      'unit#1 ok       → unit#1 succeeded',
      'why deploy      → JobPaused',
      'unpause deploy  →',
      'app v2          → unit#2 v2',
      'unit#2 ok       → unit#2 succeeded, deploy#1 v2',
    ],
    'a second pause and a second unpause change nothing': [
      UNIT,
      'pause unit            →',
      'pause unit            →',
      'unpause unit + app v1 → unit#1 v1',
      'unpause unit          →',
      'app v2                → unit#2 v2',
    ],
    'a pin cancels unstarted builds of other versions, and no others': [
      DEPLOY,
      'app v1 v2 v3   → unit#1 v1, unit#2 v2, unit#3 v3',
      'unit#1 starts  → unit#1 started',
      'pin app v2     → unit#3 cancelled',
    ],
    'a pin also cancels builds that wait for approval': [
      'unit (approvals 1): app trigger',
      'app v1      → unit#1 v1 waiting',
      'app v2      → unit#2 v2 waiting',
      'pin app v2  → unit#1 cancelled',
    ],
    'while a resource is pinned new versions trigger nothing': [
      DEPLOY,
      'app v1      → unit#1 v1',
      'pin app v1  →',
      'app v2      →',
      'why unit    → NothingNew Pinned',
      'unit#1 ok   → unit#1 succeeded, deploy#1 v1',
    ],
    'only the pinned version triggers after it has passed': [
      DEPLOY,
      'app v1 v2               → unit#1 v1, unit#2 v2',
      'unit#2 starts           → unit#2 started',
      'pin app v1              →',
      'unit#2 ok               → unit#2 succeeded',
      'why deploy              → PinnedNotPassed',
      'unit#1 ok               → unit#1 succeeded, deploy#1 v1',
    ],
    'after an unpin only the newest version triggers': [
      UNIT,
      'app v1        → unit#1 v1',
      'pin app v1    →',
      'app v2 v3 v4  →',
      'unpin app     → unit#2 v4',
    ],
    'after an unpin the newest ready version triggers downstream': [
      DEPLOY,
      'app v1             → unit#1 v1',
      'unit#1 ok          → unit#1 succeeded, deploy#1 v1',
      'deploy#1 ok        → deploy#1 succeeded',
      'app v2 v3          → unit#2 v2, unit#3 v3',
      'unit#2 starts + unit#3 starts → unit#2 started, unit#3 started',
      'pin app v1         →',
      'unit#2 ok          → unit#2 succeeded',
      'unpin app          → deploy#2 v2',
    ],
    'a version whose build a pin cancelled may be built after an unpin': [
      UNIT,
      'app v1 v2   → unit#1 v1, unit#2 v2',
      'pin app v1  → unit#2 cancelled',
      'unpin app   → unit#3 v2',
    ],
    'a version whose build a pin cancelled in a job with passed may be built after an unpin': [
      DEPLOY,
      'app v1      → unit#1 v1',
      'unit#1 ok   → unit#1 succeeded, deploy#1 v1',
      'app v2      → unit#2 v2',
      'pin app v2  → deploy#1 cancelled',
      'unpin app   → deploy#2 v1',
    ],
    'after an unpin the newest enabled version triggers': [
      UNIT,
      'app v1 v2 + pin app v2  → unit#1 v2',
      'disable app v2          → unit#1 cancelled',
      'unpin app               → unit#2 v1',
    ],
    'a version triggered by hand reaches every job that uses it without passed, and cascades': [
      `${DIAMOND}
      report: app, tools trigger`,
      'tools t1           →',
      'app v1             → unit#1 v1, lint#1 v1, report#1 v1 t1',
      'app v2             → unit#2 v2, lint#2 v2',
      'trigger app v1     → unit#3 v1, lint#3 v1, report#2 v1 t1',
      'unit#3 ok + lint#3 ok → unit#3 succeeded, lint#3 succeeded, deploy#1 v1',
    ],
    'a version can be triggered by hand while another is pinned': [
      UNIT,
      'app v1 v2       → unit#1 v1, unit#2 v2',
      'unit#1 ok + unit#2 ok → unit#1 succeeded, unit#2 succeeded',
      'pin app v1      →',
      'trigger app v2  → unit#3 v2',
    ],
    'a job triggered by hand while a resource is pinned uses the pinned version': [
      'unit: app trigger, tools',
      'tools t1 t2      →',
      'app v1 v2        → unit#1 v1 t2, unit#2 v2 t2',
      'pin tools t1     → unit#1 cancelled, unit#2 cancelled, unit#3 v1 t1, unit#4 v2 t1',
      'trigger unit     → unit#5 v2 t1',
    ],
  },
};
