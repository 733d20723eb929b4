import type { Histories } from './history-format.ts';

const UNIT = 'unit (hooks): app trigger';
const DEPLOY = `${UNIT}
  deploy: app trigger passed unit`;

/** What waits for `on_trigger` hooks, and what does not. */
export const HOOKS: Record<string, Histories> = {
  'hooks of new versions': {
    'no build of a version is made before its hooks have ended': [
      UNIT,
      'app v1        →',
      'why unit      → HooksRunning',
      'hooks app v1  → unit#1 v1',
      'why unit      → NothingNew',
      'app v2        →',
      'why unit      → HooksRunning NothingNew',
      'hooks app v2  → unit#2 v2',
    ],
    'each version gets its build in the order of versions, whatever order hooks end in': [
      UNIT,
      'app v1        →',
      'app v2 v3     →',
      'hooks app v2  →',
      'hooks app v1  → unit#1 v1, unit#2 v2',
      'hooks app v3  → unit#3 v3',
    ],
    'hooks of a job that is reached through passed hold the first one too': [
      'unit: app trigger\n  deploy (hooks): app trigger passed unit',
      'app v1        →',
      'hooks app v1  → unit#1 v1',
      'unit#1 ok     → unit#1 succeeded, deploy#1 v1',
    ],
    'versions of a resource that reaches no job with hooks wait for nothing': [
      `${UNIT}
  lint: tools trigger`,
      'tools t1  → lint#1 t1',
    ],
    'other resources go on with the versions that were there before': [
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
    'what a person asks for waits for no hooks, and is not built again after them': [
      UNIT,
      'app v1        →',
      'trigger unit  → unit#1 v1',
      'hooks app v1  →',
      'why unit      → NothingNew',
    ],
    'nor does a certain version that a person asks for': [
      UNIT,
      'app v1          →',
      'hooks app v1    → unit#1 v1',
      'app v2          →',
      'trigger app v2  → unit#2 v2',
      'hooks app v2    →',
    ],
    'a version that passed by hand triggers nothing further before its hooks have ended': [
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
    'retries wait for no hooks': [
      UNIT,
      'app v1        →',
      'hooks app v1  → unit#1 v1',
      'unit#1 fails  → unit#1 failed',
      'app v2        →',
      'retry unit#1  → unit#1.1 v1',
    ],
    'a version that is pinned waits for its hooks': [
      UNIT,
      'app v1 + pin app v1  →',
      'why unit             → HooksRunning',
      'hooks app v1         → unit#1 v1',
    ],
    'a pin to an older version is not held up': [
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
    'versions that puts make fire hooks too': [
      'build: app trigger\n  ship (hooks): image trigger',
      'app v1                → build#1 v1',
      'build#1 ok image=i1   → build#1 succeeded',
      'hooks image i1        → ship#1 i1',
    ],
    'the newest alone counts for who skips versions': [
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
