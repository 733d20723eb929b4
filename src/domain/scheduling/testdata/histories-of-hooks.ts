import type { Histories } from './history-format.ts';

const UNIT = 'unit (hooks): app trigger';
const DEPLOY = `${UNIT}
  deploy: app trigger passed unit`;

/** Which builds wait for `on_trigger` hooks, and which do not. */
export const HOOKS: Record<string, Histories> = {
  'hooks of new versions': {
    'a version gets no build before its hooks have ended': [
      UNIT,
      'app v1        →',
      'why unit      → HooksRunning',
      'hooks app v1  → unit#1 v1',
      'why unit      → NothingNew',
      'app v2        →',
      'why unit      → HooksRunning NothingNew',
      'hooks app v2  → unit#2 v2',
    ],
    'versions get their builds in order, in whatever order their hooks end': [
      UNIT,
      'app v1        →',
      'app v2 v3     →',
      'hooks app v2  →',
      'hooks app v1  → unit#1 v1, unit#2 v2',
      'hooks app v3  → unit#3 v3',
    ],
    'hooks of a downstream job delay the first job too': [
      'unit: app trigger\n  deploy (hooks): app trigger passed unit',
      'app v1        →',
      'hooks app v1  → unit#1 v1',
      'unit#1 ok     → unit#1 succeeded, deploy#1 v1',
    ],
    'versions that reach no job with hooks do not wait': [
      `${UNIT}
  lint: tools trigger`,
      'tools t1  → lint#1 t1',
    ],
    'other inputs keep using the earlier versions': [
      'unit (hooks): app trigger, tools trigger',
      'tools t1        →',
      'app v1          →',
      'hooks app v1    →',
      'hooks tools t1  → unit#1 v1 t1',
      'app v2          →',
      'tools t2        →',
      'hooks tools t2  → unit#2 v1 t2',
      'hooks app v2    → unit#3 v2 t2',
    ],
    'a requested build does not wait for hooks and is not repeated after them': [
      UNIT,
      'app v1        →',
      'trigger unit  → unit#1 v1',
      'hooks app v1  →',
      'why unit      → NothingNew',
    ],
    'a requested build of one version does not wait for hooks either': [
      UNIT,
      'app v1          →',
      'hooks app v1    → unit#1 v1',
      'app v2          →',
      'trigger app v2  → unit#2 v2',
      'hooks app v2    →',
    ],
    'a version that passed in a requested build triggers nothing downstream before its hooks have ended': [
      DEPLOY,
      'app v1        →',
      'hooks app v1  → unit#1 v1',
      'unit#1 ok     → unit#1 succeeded, deploy#1 v1',
      'deploy#1 ok   → deploy#1 succeeded',
      'app v2        →',
      'trigger unit  → unit#2 v2',
      'unit#2 ok     → unit#2 succeeded',
      'why deploy    → HooksRunning NothingNew',
      'hooks app v2  → deploy#2 v2',
    ],
    'retries do not wait for hooks': [
      UNIT,
      'app v1        →',
      'hooks app v1  → unit#1 v1',
      'unit#1 fails  → unit#1 failed',
      'app v2        →',
      'retry unit#1  → unit#1.1 v1',
    ],
    'a pinned version waits for its hooks': [
      UNIT,
      'app v1 + pin app v1  →',
      'why unit             → HooksRunning',
      'hooks app v1         → unit#1 v1',
    ],
    'a pin to an older version does not wait': [
      UNIT,
      'app v1        →',
      'app v2        →',
      'hooks app v1  → unit#1 v1',
      'pin app v1    →',
      'trigger unit  → unit#2 v1',
    ],
    'versions whose hooks ran while the job was paused trigger nothing later': [
      UNIT,
      'pause         →',
      'app v1        →',
      'hooks app v1  →',
      'unpause       →',
      'app v2        →',
      'hooks app v2  → unit#1 v2',
    ],
    'versions of puts have hooks too': [
      'build: app trigger\n  ship (hooks): image trigger',
      'app v1                → build#1 v1',
      'build#1 ok image=i1   → build#1 succeeded',
      'hooks image i1        → ship#1 i1',
    ],
    'only the newest version counts for jobs that skip versions': [
      'unit (hooks): app trigger latest',
      'app v1                       →',
      'app v2                       →',
      'hooks app v1                 → unit#1 v1',
      'unit#1 ok                    → unit#1 succeeded',
      'app v3                       →',
      'hooks app v2 + hooks app v3  → unit#2 v3',
    ],
  },
};
