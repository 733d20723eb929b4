import type { Histories } from './history-format.ts';

/** Cases found by a comparison of this scheduler with those of other systems. */
export const DECISIONS: Record<string, Histories> = {
  'several builds of one decision': {
    'end with the newest set, so an interruptible job builds that': [
      'unit (interruptible): app trigger, docs trigger',
      'app v1 + docs d1     → unit#1 v1 d1',
      'app v2 + docs d2 d3  → unit#1 cancelled, unit#2 v2 d2 cancelled, unit#3 v2 d3',
    ],
    'end with the newest set in a job that builds all of them': [
      'unit: app trigger, docs trigger',
      'app v1 + docs d1     → unit#1 v1 d1',
      'app v2 + docs d2 d3  → unit#2 v2 d2, unit#3 v2 d3',
    ],
    'are ordered from old to new across resources': [
      'unit: app trigger, docs trigger',
      'app v1 + docs d1                        → unit#1 v1 d1',
      'docs d2 + app v2 + docs d3 + app v3     → unit#2 v3 d2, unit#3 v2 d3, unit#4 v3 d3',
    ],
  },
  'two gets of one resource': {
    'use versions separately: a version that one of them took is new to the other': [
      `unit: app trigger
      both: app trigger latest, app trigger passed unit`,
      'app v1     → unit#1 v1',
      'unit#1 ok  → unit#1 succeeded, both#1 v1 v1',
      'both#1 ok  → both#1 succeeded',
      'app v2     → unit#2 v2, both#2 v2 v1',
      'both#2 ok  → both#2 succeeded',
      'unit#2 ok  → unit#2 succeeded, both#3 v2 v2',
      'both#3 ok  → both#3 succeeded',
      'why both   → NothingNew',
    ],
    'use versions separately if each takes every version': [
      `unit: app trigger
      both: app trigger, app trigger every passed unit`,
      'app v1 v2              → unit#1 v1, unit#2 v2',
      'unit#1 ok              → unit#1 succeeded, both#1 v1 v1, both#2 v2 v1',
      'both#1 ok + both#2 ok  → both#1 succeeded, both#2 succeeded',
      'unit#2 ok              → unit#2 succeeded, both#3 v2 v2',
    ],
  },
  'a version that is disabled': {
    'cancels the queued automatic builds that took it': [
      'unit (approvals 1): app trigger',
      'app v1          → unit#1 v1 waiting',
      'app v2          → unit#2 v2 waiting',
      'disable app v2  → unit#2 cancelled',
    ],
    'cancels no started and no requested builds': [
      'unit: app trigger',
      'app v1 v2         → unit#1 v1, unit#2 v2',
      'unit#1 starts     → unit#1 started',
      'trigger app v1    → unit#3 v1',
      'disable app v1    →',
      'trigger app v2    → unit#4 v2',
      'disable app v2    → unit#2 cancelled',
    ],
    'lets the other versions of its cancelled builds trigger again': [
      'unit: app trigger, docs trigger',
      'app v1           →',
      'app v2 + docs d1 → unit#1 v1 d1, unit#2 v2 d1',
      'unit#1 ok        → unit#1 succeeded',
      'docs d2          → unit#3 v2 d2',
      'disable app v2   → unit#2 cancelled, unit#3 cancelled, unit#4 v1 d2',
      'enable app v2    → unit#5 v2 d2',
    ],
  },
  'a requested build': {
    'is not interrupted by versions that were known before': [
      'unit (interruptible): app trigger',
      'app v1                     → unit#1 v1',
      'app v2 v3 + trigger app v2 → unit#1 cancelled, unit#2 v3 cancelled, unit#3 v2',
      'app v4                     → unit#3 cancelled, unit#4 v4',
    ],
    'replaces all other builds of an interruptible job, new or old': [
      'unit (interruptible): app trigger, docs',
      'docs d1                              →',
      'app v1 v2 + trigger unit             → unit#1 v1 d1 cancelled, unit#2 v2 d1',
      'app v3 + trigger unit + trigger unit → unit#2 cancelled, unit#3 v3 d1 cancelled, unit#4 v3 d1',
    ],
  },
};
