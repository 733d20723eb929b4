import type { Histories } from './history-format.ts';

const UNIT = 'unit: app trigger';
const DEPLOY = `${UNIT}
  deploy: app trigger passed unit`;
const DIAMOND = `${UNIT}
  lint: app trigger
  deploy: app trigger passed unit+lint`;

const SHARED = `test: repo, image
  deploy: repo trigger passed test, image trigger passed test`;

/** Which builds the scheduler creates automatically, and with which versions. */
export const BUILDS: Record<string, Histories> = {
  'automatic builds': {
    'each version that triggers a job has a build, also those of the first check and while others run':
      [
        UNIT,
        'app v1 v2 v3   → unit#1 v1, unit#2 v2, unit#3 v3',
        'unit#1 starts  → unit#1 started',
        'app v4         → unit#4 v4',
      ],
    'version = latest builds only the newest, one build at a time': [
      'unit: app trigger latest',
      'app v1 v2   → unit#1 v2',
      'unit#1 starts → unit#1 started',
      'app v3      →',
      'why unit    → BuildActive',
      'app v4      →',
      'unit#1 ok   → unit#1 succeeded, unit#2 v4',
    ],
    'passed takes the newest version that is good in all named jobs, whatever the builds and their order': [
      DIAMOND,
      'app v1 v2 v3           → unit#1 v1, unit#2 v2, unit#3 v3, lint#1 v1, lint#2 v2, lint#3 v3',
      'unit#3 ok              → unit#3 succeeded',
      'why deploy             → NothingPassed',
      'lint#1 ok + lint#2 ok  → lint#1 succeeded, lint#2 succeeded',
      'why deploy             → NothingPassed',
      'unit#1 ok + unit#2 ok  → unit#1 succeeded, unit#2 succeeded, deploy#1 v2',
      'why deploy             → NothingNew NewestNotPassed',
    ],
    'a warning counts as good': [
      `unit (allow-failure): app trigger
      deploy: app trigger passed unit`,
      'app v1        → unit#1 v1',
      'unit#1 fails  → unit#1 warning, deploy#1 v1',
    ],
    'a failure that is marked as a warning counts as good downstream': [
      DEPLOY,
      'app v1        → unit#1 v1',
      'unit#1 fails  → unit#1 failed',
      'why deploy    → NothingPassed',
      'warn unit#1   → unit#1 warning, deploy#1 v1',
      'warn unit#1   → refused NotFailed',
    ],
    'while a build of a job with passed runs, newer versions wait, and then only the newest is built': [
      DEPLOY,
      'app v1 v2 v3  → unit#1 v1, unit#2 v2, unit#3 v3',
      'unit#1 ok     → unit#1 succeeded, deploy#1 v1',
      'deploy#1 starts → deploy#1 started',
      'unit#2 ok     → unit#2 succeeded',
      'unit#3 ok     → unit#3 succeeded',
      'why deploy    → BuildActive',
      'deploy#1 ok   → deploy#1 succeeded, deploy#2 v3',
    ],
    'version = every skips no version and also builds one that passes late': [
      `${UNIT}
      deploy: app trigger every passed unit`,
      'app v1 v2 v3  → unit#1 v1, unit#2 v2, unit#3 v3',
      'unit#1 ok     → unit#1 succeeded, deploy#1 v1',
      'unit#3 ok     → unit#3 succeeded, deploy#2 v3',
      'unit#2 ok     → unit#2 succeeded, deploy#3 v2',
    ],
    'without version = every, an older version that passes late is not built after a newer one': [
      DEPLOY,
      'app v1 v2    → unit#1 v1, unit#2 v2',
      'unit#2 ok    → unit#2 succeeded, deploy#1 v2',
      'deploy#1 ok  → deploy#1 succeeded',
      'unit#1 ok    → unit#1 succeeded',
      'why deploy   → NothingNew',
    ],
    'a version is never built twice automatically, even if its build failed or was cancelled': [
      DEPLOY,
      'app v1          → unit#1 v1',
      'unit#1 ok       → unit#1 succeeded, deploy#1 v1',
      'deploy#1 fails  → deploy#1 failed',
      'retry unit#1    → unit#1.1 v1',
      'unit#1.1 ok     → unit#1.1 succeeded',
      'why deploy      → NothingNew',
    ],
    'the newest set waits while a build for version = every runs': [
      `test: repo, image
      deploy: repo trigger every passed test, image trigger passed test`,
      'repo r1 + image i1      →',
      'trigger test            → test#1 r1 i1',
      'test#1 starts + repo r2 → test#1 started',
      'trigger test            → test#2 r2 i1',
      'test#2 ok               → test#2 succeeded, deploy#1 r2 i1',
      'deploy#1 ok + image i2  → deploy#1 succeeded',
      'trigger test            → test#3 r2 i2',
      'test#1 ok + test#3 ok   → test#1 succeeded, test#3 succeeded, deploy#2 r1 i1',
      'why deploy              → BuildActive',
      'deploy#2 ok             → deploy#2 succeeded, deploy#3 r2 i2',
    ],
    'a requested build does not delay an automatic one': [
      DEPLOY,
      'app v1          → unit#1 v1',
      'pause deploy    →',
      'unit#1 ok       → unit#1 succeeded',
      'unpause deploy  →',
      'trigger deploy  → deploy#1 v1',
      'app v2          → unit#2 v2',
      'unit#2 ok       → unit#2 succeeded, deploy#2 v2',
    ],
    'a job without a trigger runs only on request': [
      `${UNIT}
      deploy: app passed unit`,
      'app v1          → unit#1 v1',
      'unit#1 ok       → unit#1 succeeded',
      'why deploy      → NoTrigger',
      'trigger deploy  → deploy#1 v1',
    ],
    'a new job ignores older versions, also those that pass later': [
      UNIT,
      'app v1                                → unit#1 v1',
      'add deploy: app trigger passed unit   →',
      'add slow: app trigger                 →',
      'unit#1 ok                             → unit#1 succeeded',
      'app v2                                → unit#2 v2, slow#1 v2',
      'unit#2 ok                             → unit#2 succeeded, deploy#1 v2',
    ],
    'a new version triggers only its own resource: other inputs take their newest version': [
      'unit: app trigger, tools, docs trigger',
      'tools t1 t2      →',
      'app v1 v2        →',
      'why unit         → NoVersion',
      'docs d1          → unit#1 v1 t2 d1, unit#2 v2 t2 d1',
      'tools t3         →',
      'docs d2          → unit#3 v2 t3 d2',
    ],
    'two new versions that lead to the same set make one build': [
      'unit: app trigger, docs trigger',
      'app v1 + docs d1  → unit#1 v1 d1',
    ],
    'a version of a put counts for passed and triggers': [
      `${UNIT}
      scan: image trigger
      deploy: image trigger passed unit`,
      'app v1              → unit#1 v1',
      'unit#1 ok image=i1  → unit#1 succeeded, scan#1 i1, deploy#1 i1',
    ],
    'an upstream job that fails after its put passes nothing': [
      `${UNIT}
      deploy: image trigger passed unit`,
      'app v1                 → unit#1 v1',
      'unit#1 fails image=i1  → unit#1 failed',
      'why deploy             → NothingPassed',
      'retry unit#1           → unit#1.1 v1',
      'unit#1.1 ok image=i2   → unit#1.1 succeeded, deploy#1 i2',
    ],
    'no build takes a disabled version': [
      DEPLOY,
      'app v1 v2       → unit#1 v1, unit#2 v2',
      'unit#2 starts   → unit#2 started',
      'disable app v2  →',
      'unit#2 ok       → unit#2 succeeded',
      'why deploy      → NothingPassed',
      'unit#1 ok       → unit#1 succeeded, deploy#1 v1',
      'trigger unit    → unit#3 v1',
      'trigger app v2  → refused VersionDisabled',
    ],
    'a version that is enabled again is built if it never was': [
      UNIT,
      'pause                         →',
      'unpause + app v1 v2 v3 + disable app v2 → unit#1 v1, unit#2 v3',
      'enable app v2                 → unit#3 v2',
      'disable app v1 + enable app v1 → unit#1 cancelled, unit#4 v1',
    ],
    'the reason says that all versions are disabled': [
      UNIT,
      'app v1 + disable app v1  →',
      'why unit                 → AllDisabled',
    ],
    'the reason names a pin to a disabled version': [
      `${UNIT}
      deploy: app trigger passed unit`,
      'app v1                   → unit#1 v1',
      'unit#1 ok                → unit#1 succeeded, deploy#1 v1',
      'pin app v1 + disable app v1  → deploy#1 cancelled',
      'why unit                 → PinnedDisabled',
      'why deploy               → PinnedDisabled',
    ],
  },
  'inputs that share an upstream job': {
    'come from the same build of it, even if newer versions of each have passed in others': [
      SHARED,
      'repo r1 + image i1               →',
      'trigger test                     → test#1 r1 i1',
      'repo r2                          →',
      'trigger test                     → test#2 r2 i1',
      'pin repo r1 + image i2           → test#2 cancelled',
      'trigger test                     → test#3 r1 i2',
      'unpin repo                       →',
      'test#3 ok                        → test#3 succeeded, deploy#1 r1 i2',
    ],
    'prefer the newest version of the first trigger': [
      SHARED,
      'repo r1 + image i1          →',
      'trigger test                → test#1 r1 i1',
      'test#1 starts + image i2    → test#1 started',
      'trigger test                → test#2 r1 i2',
      'test#2 starts + pin image i1 + repo r2  → test#2 started',
      'trigger test                → test#3 r2 i1',
      'test#3 starts + unpin image → test#3 started',
      'test#1 ok + test#2 ok + test#3 ok → test#1 succeeded, test#2 succeeded, test#3 succeeded, deploy#1 r2 i1',
    ],
    'wait with a reason while no builds agree': [
      `test: repo, image
      scan: image
      deploy: repo trigger passed test, image trigger passed test+scan`,
      'repo r1 + image i1  →',
      'trigger test        → test#1 r1 i1',
      'test#1 ok + image i2 → test#1 succeeded',
      'trigger scan        → scan#1 i2',
      'scan#1 ok           → scan#1 succeeded',
      'why deploy          → NothingPassed',
      'trigger test        → test#2 r1 i2',
      'test#2 ok           → test#2 succeeded, deploy#1 r1 i2',
    ],
    'are searched in older builds until builds agree': [
      `unit: app trigger, lib
      lint: app trigger, lib
      deploy: app trigger passed unit+lint, lib passed unit+lint`,
      'lib l1         →',
      'app v1         → unit#1 v1 l1, lint#1 v1 l1',
      'lib l2         →',
      'app v2         → unit#2 v2 l2, lint#2 v2 l2',
      'unit#1 ok + unit#2 ok + lint#1 ok → unit#1 succeeded, lint#1 succeeded, unit#2 succeeded, deploy#1 v1 l1',
      'deploy#1 ok    → deploy#1 succeeded',
      'lint#2 ok      → lint#2 succeeded, deploy#2 v2 l2',
    ],
    'have a reason if each has passed but never together': [
      `unit: app, lib
      lint: app
      scan: lib
      deploy: app trigger passed unit+lint, lib trigger passed unit+scan`,
      'app v1 + lib l1              →',
      'trigger unit + trigger lint  → unit#1 v1 l1, lint#1 v1',
      'unit#1 starts + lint#1 ok    → unit#1 started, lint#1 succeeded',
      'app v2 + lib l2              →',
      'trigger unit + trigger scan  → unit#2 v2 l2, scan#1 l2',
      'unit#1 ok                    → unit#1 succeeded',
      'why deploy                   → NothingPassed',
      'unit#2 ok + scan#1 ok        → unit#2 succeeded, scan#1 succeeded',
      'why deploy                   → NoAgreement NoAgreement',
      'trigger deploy               → refused NoAgreement NoAgreement',
      'pin app v1                   →',
      'trigger unit                 → unit#3 v1 l2',
      'unit#3 ok                    → unit#3 succeeded, deploy#1 v1 l2',
    ],
    'need not agree if they share no job': [
      `unit: app trigger
      bake: image trigger
      deploy: app trigger passed unit, image passed bake`,
      'app v1 v2 + image i1 i2 → unit#1 v1, unit#2 v2, bake#1 i1, bake#2 i2',
      'unit#2 ok + bake#1 ok → unit#2 succeeded, bake#1 succeeded, deploy#1 v2 i1',
    ],
  },
};
