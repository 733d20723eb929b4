import type { Histories } from './history-format.ts';

/** What was found by holding the scheduler against others. */
export const DECISIONS: Record<string, Histories> = {
  'several builds of one decision': {
    'end with the newest set, so that an interruptible job builds it': [
      'unit (interruptible): app trigger, docs trigger',
      'app v1 + docs d1     → unit#1 v1 d1',
      'app v2 + docs d2 d3  → unit#1 cancelled, unit#2 v2 d2 cancelled, unit#3 v2 d3',
    ],
    'end with the newest set in a job that builds them all': [
      'unit: app trigger, docs trigger',
      'app v1 + docs d1     → unit#1 v1 d1',
      'app v2 + docs d2 d3  → unit#2 v2 d2, unit#3 v2 d3',
    ],
    'go from old to new, whichever resource a version belongs to': [
      'unit: app trigger, docs trigger',
      'app v1 + docs d1                        → unit#1 v1 d1',
      'docs d2 + app v2 + docs d3 + app v3     → unit#2 v3 d2, unit#3 v2 d3, unit#4 v3 d3',
    ],
  },
  'two gets of one resource': {
    'use versions apart: what one of them took is still new to the other': [
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
    'use versions apart where each takes every version': [
      `unit: app trigger
      both: app trigger, app trigger every passed unit`,
      'app v1 v2              → unit#1 v1, unit#2 v2',
      'unit#1 ok              → unit#1 succeeded, both#1 v1 v1, both#2 v2 v1',
      'both#1 ok + both#2 ok  → both#1 succeeded, both#2 succeeded',
      'unit#2 ok              → unit#2 succeeded, both#3 v2 v2',
    ],
  },
  'a version that is disabled': {
    'ends the queued automatic builds that took it': [
      'unit (approvals 1): app trigger',
      'app v1          → unit#1 v1 waiting',
      'app v2          → unit#2 v2 waiting',
      'disable app v2  → unit#2 cancelled',
    ],
    'leaves builds that have started and those of people alone': [
      'unit: app trigger',
      'app v1 v2         → unit#1 v1, unit#2 v2',
      'unit#1 starts     → unit#1 started',
      'trigger app v1    → unit#3 v1',
      'disable app v1    →',
      'trigger app v2    → unit#4 v2',
      'disable app v2    → unit#2 cancelled',
    ],
    'gives back what its builds had not begun to use': [
      'unit: app trigger, docs trigger',
      'app v1           →',
      'app v2 + docs d1 → unit#1 v1 d1, unit#2 v2 d1',
      'unit#1 ok        → unit#1 succeeded',
      'docs d2          → unit#3 v2 d2',
      'disable app v2   → unit#2 cancelled, unit#3 cancelled, unit#4 v1 d2',
      'enable app v2    → unit#5 v2 d2',
    ],
  },
  'a build that a person asks for': {
    'is not interrupted by versions that were known already': [
      'unit (interruptible): app trigger',
      'app v1                     → unit#1 v1',
      'app v2 v3 + trigger app v2 → unit#1 cancelled, unit#2 v3 cancelled, unit#3 v2',
      'app v4                     → unit#3 cancelled, unit#4 v4',
    ],
    'takes the place of all others of an interruptible job, new or old': [
      'unit (interruptible): app trigger, docs',
      'docs d1                              →',
      'app v1 v2 + trigger unit             → unit#1 v1 d1 cancelled, unit#2 v2 d1',
      'app v3 + trigger unit + trigger unit → unit#2 cancelled, unit#3 v3 d1 cancelled, unit#4 v3 d1',
    ],
  },
};
