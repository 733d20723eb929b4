import { describe, expect, test } from '@jest/globals';
import { play } from '#testing/scheduling/play.ts';

/** Sentence → pipeline, then what happens and what follows. */
type Histories = Record<string, [pipeline: string, ...lines: string[]]>;

function playAll(histories: Histories): void {
  test.each(Object.entries(histories))('%s', (_, [pipeline, ...lines]) => {
    expect(play(pipeline, lines)).toEqual(lines);
  });
}

const UNIT = 'unit: app trigger';
const DEPLOY = `${UNIT}
  deploy: app trigger passed unit`;
const DIAMOND = `${UNIT}
  lint: app trigger
  deploy: app trigger passed unit+lint`;

describe('states of the manual', () => {
  playAll({
    'a paused pipeline records versions and makes no builds, running ones end, and only versions found after the pause trigger':
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
    'one job of a paused pipeline can be unpaused by itself': [
      DIAMOND,
      'pause         →',
      'unpause lint  →',
      'app v1        → lint#1 v1',
      'why unit      → PipelinePaused',
    ],
    'a paused job alone stops, and what was found meanwhile never triggers it': [
      DEPLOY,
      'pause deploy    →',
      'app v1          → unit#1 v1',
      'unit#1 ok       → unit#1 succeeded',
      'why deploy      → JobPaused',
      'unpause deploy  →',
      'app v2          → unit#2 v2',
      'unit#2 ok       → unit#2 succeeded, deploy#1 v2',
    ],
    'pausing twice forgets nothing that came before': [
      UNIT,
      'pause unit            →',
      'pause unit            →',
      'unpause unit + app v1 → unit#1 v1',
      'unpause unit          →',
      'app v2                → unit#2 v2',
    ],
    'a pin cancels builds that have not started and took another version, and no others': [
      DEPLOY,
      'app v1 v2 v3   → unit#1 v1, unit#2 v2, unit#3 v3',
      'unit#1 starts  → unit#1 started',
      'pin app v2     → unit#3 cancelled',
    ],
    'a pin cancels what waits for approval too': [
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
    'of what passed, only the pinned version triggers': [
      DEPLOY,
      'app v1 v2               → unit#1 v1, unit#2 v2',
      'unit#2 starts           → unit#2 started',
      'pin app v1              →',
      'unit#2 ok               → unit#2 succeeded',
      'why deploy              → PinnedNotPassed',
      'unit#1 ok               → unit#1 succeeded, deploy#1 v1',
    ],
    'after the pin the latest version triggers, and no other that came meanwhile': [
      UNIT,
      'app v1        → unit#1 v1',
      'pin app v1    →',
      'app v2 v3 v4  →',
      'unpin app     → unit#2 v4',
    ],
    'after the pin the latest version that is ready triggers downstream': [
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
    'what a pin cancelled before it started may be built when the pin ends': [
      UNIT,
      'app v1 v2   → unit#1 v1, unit#2 v2',
      'pin app v1  → unit#2 cancelled',
      'unpin app   → unit#3 v2',
    ],
    'after the pin the latest version is the latest that is enabled': [
      UNIT,
      'app v1 v2 + pin app v2  → unit#1 v2',
      'disable app v2          →',
      'unpin app               → unit#2 v1',
    ],
    'a version that is triggered by hand goes to every job that takes it without passed, and cascades': [
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
    'a job that is triggered by hand while a resource is pinned takes the pinned version': [
      'unit: app trigger, tools',
      'tools t1 t2      →',
      'app v1 v2        → unit#1 v1 t2, unit#2 v2 t2',
      'pin tools t1     → unit#1 cancelled, unit#2 cancelled, unit#3 v1 t1, unit#4 v2 t1',
      'trigger unit     → unit#5 v2 t1',
    ],
  });
});

describe('automatic builds', () => {
  playAll({
    'a job that every version triggers has a build for each, the first check included, also while others run':
      [
        UNIT,
        'app v1 v2 v3   → unit#1 v1, unit#2 v2, unit#3 v3',
        'unit#1 starts  → unit#1 started',
        'app v4         → unit#4 v4',
      ],
    'with version = latest only the newest is built, one build at a time': [
      'unit: app trigger latest',
      'app v1 v2   → unit#1 v2',
      'app v3      →',
      'why unit    → BuildActive',
      'app v4      →',
      'unit#1 ok   → unit#1 succeeded, unit#2 v4',
    ],
    'passed takes the newest version that is good in all named jobs, in whatever builds and order': [
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
    'a failure that is marked as a warning lets what waits for it go on': [
      DEPLOY,
      'app v1        → unit#1 v1',
      'unit#1 fails  → unit#1 failed',
      'why deploy    → NothingPassed',
      'warn unit#1   → unit#1 warning, deploy#1 v1',
      'warn unit#1   → refused NotFailed',
    ],
    'while a gated build is active newer ready versions wait, then only the newest is built': [
      DEPLOY,
      'app v1 v2 v3  → unit#1 v1, unit#2 v2, unit#3 v3',
      'unit#1 ok     → unit#1 succeeded, deploy#1 v1',
      'unit#2 ok     → unit#2 succeeded',
      'unit#3 ok     → unit#3 succeeded',
      'why deploy    → BuildActive',
      'deploy#1 ok   → deploy#1 succeeded, deploy#2 v3',
    ],
    'with version = every none is skipped, and one that passes late is built too': [
      `${UNIT}
      deploy: app trigger every passed unit`,
      'app v1 v2 v3  → unit#1 v1, unit#2 v2, unit#3 v3',
      'unit#1 ok     → unit#1 succeeded, deploy#1 v1',
      'unit#3 ok     → unit#3 succeeded, deploy#2 v3',
      'unit#2 ok     → unit#2 succeeded, deploy#3 v2',
    ],
    'without version = every an older version that passes late does not come after a newer one': [
      DEPLOY,
      'app v1 v2    → unit#1 v1, unit#2 v2',
      'unit#2 ok    → unit#2 succeeded, deploy#1 v2',
      'deploy#1 ok  → deploy#1 succeeded',
      'unit#1 ok    → unit#1 succeeded',
      'why deploy   → NothingNew',
    ],
    'a version is never built again by itself, even if its build failed or was cancelled': [
      DEPLOY,
      'app v1          → unit#1 v1',
      'unit#1 ok       → unit#1 succeeded, deploy#1 v1',
      'deploy#1 fails  → deploy#1 failed',
      'retry unit#1    → unit#1.1 v1',
      'unit#1.1 ok     → unit#1.1 succeeded',
      'why deploy      → NothingNew',
    ],
    'a newest set beside sets that single versions want waits for their builds': [
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
    'a build that a person asked for does not hold back an automatic one': [
      DEPLOY,
      'app v1          → unit#1 v1',
      'pause deploy    →',
      'unit#1 ok       → unit#1 succeeded',
      'unpause deploy  →',
      'trigger deploy  → deploy#1 v1',
      'app v2          → unit#2 v2',
      'unit#2 ok       → unit#2 succeeded, deploy#2 v2',
    ],
    'a job without a trigger runs only when somebody asks': [
      `${UNIT}
      deploy: app passed unit`,
      'app v1          → unit#1 v1',
      'unit#1 ok       → unit#1 succeeded',
      'why deploy      → NoTrigger',
      'trigger deploy  → deploy#1 v1',
    ],
    'a new job ignores what was there before it, also what passes later': [
      UNIT,
      'app v1                                → unit#1 v1',
      'add deploy: app trigger passed unit   →',
      'add slow: app trigger                 →',
      'unit#1 ok                             → unit#1 succeeded',
      'app v2                                → unit#2 v2, slow#1 v2',
      'unit#2 ok                             → unit#2 succeeded, deploy#1 v2',
    ],
    'a new version belongs to its own resource only: the others take the newest they may': [
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
    'what a put made counts for passed and triggers': [
      `${UNIT}
      scan: image trigger
      deploy: image trigger passed unit`,
      'app v1              → unit#1 v1',
      'unit#1 ok image=i1  → unit#1 succeeded, scan#1 i1, deploy#1 i1',
    ],
    'an upstream job that failed after its put passes nothing': [
      `${UNIT}
      deploy: image trigger passed unit`,
      'app v1                 → unit#1 v1',
      'unit#1 fails image=i1  → unit#1 failed',
      'why deploy             → NothingPassed',
      'retry unit#1           → unit#1.1 v1',
      'unit#1.1 ok image=i2   → unit#1.1 succeeded, deploy#1 i2',
    ],
    'a disabled version is taken by nobody': [
      DEPLOY,
      'app v1 v2       → unit#1 v1, unit#2 v2',
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
      'disable app v1 + enable app v1 →',
    ],
    'when all versions are disabled the reason says so': [
      UNIT,
      'app v1 + disable app v1  →',
      'why unit                 → AllDisabled',
    ],
    'a pin to a disabled version is told': [
      `${UNIT}
      deploy: app trigger passed unit`,
      'app v1                   → unit#1 v1',
      'unit#1 ok                → unit#1 succeeded, deploy#1 v1',
      'pin app v1 + disable app v1  →',
      'why unit                 → PinnedDisabled',
      'why deploy               → PinnedDisabled',
    ],
  });
});

describe('inputs that share an upstream job', () => {
  const SHARED = `test: repo, image
  deploy: repo trigger passed test, image trigger passed test`;
  playAll({
    'come from the same build of it, though newer versions of each have passed in others': [
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
    'wait, with the reason, while no builds agree': [
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
    'are searched for backwards until builds agree': [
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
    'tell when each has passed but never together': [
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
    'need not agree when they share no job': [
      `unit: app trigger
      bake: image trigger
      deploy: app trigger passed unit, image passed bake`,
      'app v1 v2 + image i1 i2 → unit#1 v1, unit#2 v2, bake#1 i1, bake#2 i2',
      'unit#2 ok + bake#1 ok → unit#2 succeeded, bake#1 succeeded, deploy#1 v2 i1',
    ],
  });
});

describe('people', () => {
  playAll({
    'are refused with every reason instead of a build that vanishes': [
      `${UNIT}
      deploy: app trigger passed unit, tools`,
      'trigger deploy  → refused NothingPassed NoVersion',
      'pause deploy    →',
      'trigger deploy  → refused JobPaused NothingPassed NoVersion',
    ],
    'who ask for what is about to be built by itself get that build': [
      UNIT,
      'app v1 v2 + trigger unit  → unit#1 v1, unit#2 v2',
      'trigger unit              → unit#3 v2',
    ],
    'get a build each, however alike they ask': [
      UNIT,
      'app v1                                    → unit#1 v1',
      'app v2 + trigger unit + trigger unit      → unit#2 v2, unit#3 v2',
    ],
    'who ask for a version get it where passed is not named, and what passed where it is': [
      `${UNIT}
      compare: app, app passed unit`,
      'app v1 v2       → unit#1 v1, unit#2 v2',
      'unit#2 ok       → unit#2 succeeded',
      'trigger app v1  → unit#3 v1, compare#1 v1 v2',
    ],
    'get the inputs of the original when they retry, and numbers that use up none': [
      'unit: app trigger, tools',
      'tools t1            →',
      'app v1              → unit#1 v1 t1',
      'tools t2            →',
      'unit#1 fails        → unit#1 failed',
      'retry unit#1        → unit#1.1 v1 t1',
      'retry unit#1.1      → refused NotEnded',
      'unit#1.1 fails      → unit#1.1 failed',
      'retry unit#1.1      → unit#1.2 v1 t1',
      'app v2              → unit#2 v2 t2',
    ],
    'may retry a green build while its resource is pinned elsewhere': [
      UNIT,
      'app v1 v2    → unit#1 v1, unit#2 v2',
      'unit#2 ok    → unit#2 succeeded',
      'pin app v1   →',
      'retry unit#2 → unit#2.1 v2',
    ],
    'may not retry what the job forbids, nor while it is paused': [
      'unit (no-retry): app trigger',
      'app v1        → unit#1 v1',
      'unit#1 fails  → unit#1 failed',
      'pause unit    →',
      'retry unit#1  → refused JobPaused RetryDisabled',
    ],
    'a retry that succeeds lets downstream go on': [
      DEPLOY,
      'app v1        → unit#1 v1',
      'unit#1 fails  → unit#1 failed',
      'retry unit#1  → unit#1.1 v1',
      'unit#1.1 ok   → unit#1.1 succeeded, deploy#1 v1',
    ],
    'cancel what waits at once and what runs by asking': [
      'unit (approvals 1): app trigger',
      'app v1          → unit#1 v1 waiting',
      'cancel unit#1   → unit#1 cancelled',
      'cancel unit#1   → refused AlreadyEnded',
      'app v2          → unit#2 v2 waiting',
      'bob approves unit#2 → unit#2 pending',
      'unit#2 starts   → unit#2 started',
      'cancel unit#2   → unit#2 is asked to stop',
      'unit#2 cancelled → unit#2 cancelled',
    ],
  });
});

describe('approvals', () => {
  const GATED = 'ship (approvals 2): app trigger';
  playAll({
    'gate the build at its creation, with its versions': [
      GATED,
      'app v1               → ship#1 v1 waiting',
      'bob approves ship#1  →',
      'eve approves ship#1  → ship#1 pending',
      'eve approves ship#1  → refused NotWaiting',
    ],
    'count each person once': [
      GATED,
      'app v1               → ship#1 v1 waiting',
      'bob approves ship#1  →',
      'bob approves ship#1  → refused VotedAlready',
      'bob rejects ship#1   → refused VotedAlready',
    ],
    'one rejection fails the build whatever was approved before': [
      GATED,
      'app v1               → ship#1 v1 waiting',
      'bob approves ship#1  →',
      'eve rejects ship#1   → ship#1 failed',
      'bob approves ship#1  → refused AlreadyEnded',
    ],
    'a retry of an approved build needs none, of a rejected one it does': [
      'ship (approvals 1): app trigger',
      'app v1               → ship#1 v1 waiting',
      'bob approves ship#1  → ship#1 pending',
      'ship#1 fails         → ship#1 failed',
      'retry ship#1         → ship#1.1 v1',
      'ship#1.1 fails       → ship#1.1 failed',
      'retry ship#1.1       → ship#1.2 v1',
      'app v2               → ship#2 v2 waiting',
      'bob rejects ship#2   → ship#2 failed',
      'retry ship#2         → ship#2.1 v2 waiting',
    ],
    'a retry of a build that was cancelled before anybody approved it needs one': [
      'ship (approvals 1): app trigger',
      'app v1         → ship#1 v1 waiting',
      'cancel ship#1  → ship#1 cancelled',
      'retry ship#1   → ship#1.1 v1 waiting',
    ],
    'never by the person who triggered, when so set, but anybody may reject': [
      'ship (approvals 1, not-by-trigger): app trigger',
      'app v1                → ship#1 v1 waiting',
      'trigger ship          → ship#2 v1 waiting',
      'ann approves ship#2   → refused OwnBuild',
      'ann approves ship#1   → ship#1 pending',
      'bob approves ship#2   → ship#2 pending',
      'ship#1 fails + ship#2 fails → ship#1 failed, ship#2 failed',
      'trigger ship          → ship#3 v1 waiting',
      'ann rejects ship#3    → ship#3 failed',
      'retry ship#3 by bob   → ship#3.1 v1 waiting',
      'bob approves ship#3.1 → refused OwnBuild',
    ],
    'a build that waits holds back the next automatic one of a gated job': [
      `${UNIT}
      ship (approvals 1): app trigger passed unit`,
      'app v1 v2          → unit#1 v1, unit#2 v2',
      'unit#1 ok          → unit#1 succeeded, ship#1 v1 waiting',
      'unit#2 ok          → unit#2 succeeded',
      'bob rejects ship#1 → ship#1 failed, ship#2 v2 waiting',
    ],
  });
});

describe('an interruptible job', () => {
  playAll({
    'cancels its older builds, running, pending or waiting, for any new one': [
      'unit (interruptible): app trigger',
      'app v1          → unit#1 v1',
      'unit#1 starts   → unit#1 started',
      'app v2          → unit#1 cancelled, unit#2 v2',
      'trigger unit    → unit#2 cancelled, unit#3 v2',
      'retry unit#1    → unit#3 cancelled, unit#1.1 v1',
    ],
    'builds only the last of versions that come together, and shows the others as superseded': [
      'unit (interruptible): app trigger',
      'app v1 v2 v3  → unit#1 v1 cancelled, unit#2 v2 cancelled, unit#3 v3',
    ],
    'with passed takes the newest at once instead of waiting for the build that runs': [
      `${UNIT}
      deploy (interruptible): app trigger passed unit`,
      'app v1 v2      → unit#1 v1, unit#2 v2',
      'unit#1 ok      → unit#1 succeeded, deploy#1 v1',
      'deploy#1 starts → deploy#1 started',
      'unit#2 ok      → unit#2 succeeded, deploy#1 cancelled, deploy#2 v2',
    ],
    'leaves builds of other jobs alone': [
      `unit (interruptible): app trigger
      deploy: app trigger passed unit`,
      'app v1     → unit#1 v1',
      'unit#1 ok  → unit#1 succeeded, deploy#1 v1',
      'app v2     → unit#2 v2',
    ],
  });
});
