import { describe, expect, test } from '@jest/globals';
import { diagnose } from '#domain/language/diagnostic.ts';
import type { Compilation } from '#domain/pipeline/compile.ts';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import type { TeamVolume } from '#domain/planning/mount-volumes.ts';
import { RecordedNotifications } from '#testing/flows/recorded-notifications.ts';
import { resource, samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import { applyPipeline, type ApplyPipelinePorts } from './apply-pipeline.ts';
import type { ConfigurationAnswer, PipelineManifest, ScheduledPipeline } from './manifest-ports.ts';
import type { PipelineFacts, PipelineToSave } from './ports.ts';
import type { PipelineBefore, SaveTransaction } from './save-ports.ts';
import { SourceTurns } from './source-turns.ts';

const manifest: PipelineManifest = {
  team: 'blue',
  pipeline: 'demo',
  namespace: 'team-blue',
  uid: 'uid-1',
};
const definition: Pipeline = samplePipeline({ resources: [resource('git.new')], jobs: [] });
const earlier: Pipeline = samplePipeline({
  resources: [resource('git.old')],
  jobs: [{ name: 'earlier', steps: [], tags: ['gpu'] }],
});
const EARLIER_REFUSED = {
  reason: 'TagNotAllowed',
  message: 'job earlier: Team blue does not allow the tag gpu; its spec.allowedTags has none.',
};
const checksOf = (...resources: string[]) => [{ group: { resources } }];
const CONFIGURATION: ConfigurationAnswer = {
  answer: 'found',
  config: 'text',
  variables: {},
  digest: 'digest',
};
const facts = (more: Partial<PipelineFacts> = {}): PipelineFacts => ({
  id: 1,
  revision: 2,
  paused: false,
  jobs: [],
  resources: [],
  ...more,
});
const saving = (stoppedByPins?: number[], before: Partial<PipelineBefore> = {}): SaveTransaction => ({
  before: { id: 1, revision: 1, live: true, paused: false, digest: 'earlier', now: new Date(0), ...before },
  discard: () => Promise.resolve(),
  saveRevision: () => Promise.resolve(),
  applyRenames: () => Promise.resolve({ jobs: new Map(), resources: new Map() }),
  saveDefinition: () => Promise.resolve({ changes: [], stopped: [] }),
  saveSettings: () => Promise.resolve(),
  changedPins: () => Promise.resolve(stoppedByPins === undefined ? [] : [{ resource: 1, wanted: {} }]),
  pins: {
    pin: () => Promise.resolve(),
    unpin: () => Promise.resolve(),
    unstartedBuilds: () => Promise.resolve([]),
    endUnstarted: () => Promise.resolve(stoppedByPins ?? []),
    getsOf: () => Promise.resolve([]),
    saveFloors: () => Promise.resolve(),
    requestDecision: () => Promise.resolve(),
  },
  resources: () => Promise.resolve([]),
});
const INVALID: Compilation = {
  diagnostics: [
    {
      severity: 'error',
      code: 'syntax-error',
      message: 'no',
      help: '',
      range: { start: { line: 3, column: 7, byte: 9 }, end: { line: 3, column: 8, byte: 10 } },
    },
    { severity: 'error', code: 'time-limit', message: 'too slow', help: '' },
  ],
};

const ACCEPTED = { outcome: 'applied' };

interface Situation {
  configuration?: ConfigurationAnswer;
  compilation?: Compilation;
  /** The definition that the database has. */
  storedDefinition?: Pipeline;
  facts?: PipelineFacts;
  /** Number of pipelines of the team. */
  pipelines?: number;
  pipelineLimit?: number;
  /** What the transaction that saves the pipeline finds. */
  before?: Partial<PipelineBefore>;
  volumes?: TeamVolume[];
  blockedChecks?: string[];
  schedulingChange?: { stopped: number[] };
  externalUrl?: string | undefined;
}

function portsOf(situation: Situation) {
  const stored: PipelineToSave[] = [];
  const scheduled: ScheduledPipeline[] = [];
  const notifications = new RecordedNotifications();
  const ports: ApplyPipelinePorts = {
    externalUrl: situation.externalUrl,
    store: {
      withPipelineToSave: async (toSave, work) => {
        stored.push(toSave);
        return await work(saving(situation.schedulingChange?.stopped, situation.before));
      },
      cronNext: () => undefined,
      definition: () =>
        Promise.resolve(
          situation.storedDefinition === undefined
            ? undefined
            : { id: 1, revision: 2, pipeline: situation.storedDefinition },
        ),
      pipelineFacts: () => Promise.resolve(situation.facts),
      countPipelines: () => Promise.resolve(situation.pipelines ?? 0),
      cachedSources: () => Promise.resolve(undefined),
      cacheSources: () => Promise.resolve(),
      renamedTo: () => Promise.resolve(undefined),
      renameState: () => Promise.resolve('own'),
      completeRename: () => Promise.resolve({ answer: 'not-requested' }),
    },
    reader: {
      read: () => Promise.resolve({ failure: 'not there', transient: true }),
      digest: (parts) => parts.join(' '),
    },
    cluster: {
      sourceRulesOf: () => ({}),
      pipelineLimitOf: () => situation.pipelineLimit,
      podRulesOf: (name) => ({ name, workers: [], allowedTags: [], volumes: situation.volumes ?? [] }),
      nodeLabel: (tag) => tag,
      configurationOf: () => Promise.resolve(situation.configuration ?? CONFIGURATION),
      applyChecks: (pipeline) => {
        scheduled.push(pipeline);
        return Promise.resolve(situation.blockedChecks ?? []);
      },
      compareRenamed: () => Promise.resolve('gone'),
      settleRename: () => Promise.resolve(),
      removeObject: () => Promise.resolve(),
    },
    turns: new SourceTurns(),
    notifications,
    now: () => new Date(),
    compiler: {
      compile: () => Promise.resolve(situation.compilation ?? { pipeline: definition, diagnostics: [] }),
    },
  };
  return { ports, stored, scheduled, sent: notifications.sent };
}

describe('a manifest', () => {
  test('a valid manifest is saved, and its checks are scheduled', async () => {
    const { ports, stored, scheduled } = portsOf({ facts: facts({ paused: true }) });
    const applied = await applyPipeline(manifest, ports);
    expect(applied).toMatchObject({ outcome: 'applied', saved: { revision: 2 }, facts: { paused: true } });
    expect(stored).toMatchObject([
      { team: 'blue', config: 'text', digest: 'digest', definition, actor: 'manifest' },
    ]);
    expect(scheduled).toMatchObject([{ id: 1, checks: checksOf('git.new') }]);
  });

  test('an applied manifest says which checks cannot be scheduled, including those of the last good revision', async () => {
    const blockedChecks = ['Millrace did not create the CronJob blue/x.'];
    expect(await applyPipeline(manifest, portsOf({ blockedChecks }).ports)).toMatchObject({
      outcome: 'applied',
      blockedChecks,
    });
    const broken = { blockedChecks, compilation: INVALID, storedDefinition: earlier, facts: facts() };
    expect(await applyPipeline(manifest, portsOf(broken).ports)).toMatchObject({
      outcome: 'invalid',
      blockedChecks,
    });
  });

  test("a manifest beyond the team's limit is not read and says so; an existing pipeline continues", async () => {
    const full = { pipelines: 3, pipelineLimit: 3 };
    const { ports, stored } = portsOf(full);
    expect(await applyPipeline(manifest, ports)).toEqual({
      outcome: 'unavailable',
      reason: 'TooManyPipelines',
      message:
        'The team has reached its limit of 3 pipelines (limits.pipelines of the Team). ' +
        'Delete another one, or ask for a higher limit.',
      again: true,
    });
    expect(stored).toEqual([]);
    expect(await applyPipeline(manifest, portsOf({ ...full, facts: facts() }).ports)).toMatchObject(ACCEPTED);
    expect(await applyPipeline(manifest, portsOf({ ...full, pipelines: 2 }).ports)).toMatchObject(ACCEPTED);
  });

  test('a manifest is also refused if others reach the limit while it is compiled', async () => {
    const situation = { pipelines: 2, pipelineLimit: 3, before: { live: false, others: 3 } };
    const { ports, scheduled } = portsOf(situation);
    const refused = { outcome: 'unavailable', reason: 'TooManyPipelines', again: true };
    expect(await applyPipeline(manifest, ports)).toMatchObject(refused);
    expect(scheduled).toEqual([]);
    const below = { ...situation, before: { live: false, others: 2 } };
    expect(await applyPipeline(manifest, portsOf(below).ports)).toMatchObject(ACCEPTED);
  });

  test('a manifest with identity needs an https address, and its last good revision stays', async () => {
    const jobs = [{ name: 'deploy', identity: [{ audience: 'vault' }], steps: [] }];
    const compilation = { pipeline: { ...definition, jobs }, diagnostics: [] };
    const { ports, stored } = portsOf({ compilation, storedDefinition: earlier, facts: facts() });
    expect(await applyPipeline(manifest, ports)).toMatchObject({
      outcome: 'unavailable',
      reason: 'NoExternalURL',
      message: expect.stringMatching(/^The job deploy has identity\..*Set externalURL in the chart's values/),
      facts: facts(),
    });
    expect(stored).toEqual([]);
    const situation = { compilation, facts: facts(), externalUrl: 'https://ci.test' };
    expect(await applyPipeline(manifest, portsOf(situation).ports)).toMatchObject(ACCEPTED);
  });

  test('a manifest that a busy machine could not read is not refused, and is tried again', async () => {
    const diagnostics = [diagnose('machine-busy', undefined, 'it did not end')];
    const { ports, stored } = portsOf({
      compilation: { diagnostics },
      storedDefinition: earlier,
      facts: facts(),
    });
    expect(await applyPipeline(manifest, ports)).toMatchObject({
      outcome: 'unavailable',
      reason: 'MachineBusy',
      message: 'it did not end',
      again: true,
      facts: facts(),
    });
    expect(stored).toEqual([]);
  });

  test('a manifest that pins a missing resource is refused, and its last good revision stays', async () => {
    const pins = [{ resource: 'git.app', version: { ref: 'a' } }];
    const { ports, stored } = portsOf({ storedDefinition: earlier, facts: facts() });
    expect(await applyPipeline({ ...manifest, pins }, ports)).toEqual({
      outcome: 'invalid',
      errors: ['spec.pins: the pipeline has no resource git.app'],
      facts: facts(),
      refusedTags: [EARLIER_REFUSED],
    });
    expect(stored).toEqual([]);
  });

  test.each([
    ['a manifest with the same pins notifies nobody', undefined, []],
    ['a manifest with another pin notifies the scheduler', { stopped: [] }, ['schedule 1']],
    [
      'a manifest whose pins end builds notifies their agents and the scheduler',
      { stopped: [41, 42] },
      ['cancel 41', 'cancel 42', 'schedule 1'],
    ],
  ])('%s', async (_, schedulingChange, expected) => {
    const { ports, sent } = portsOf(schedulingChange === undefined ? {} : { schedulingChange });
    await applyPipeline(manifest, ports);
    expect(sent).toEqual(expected);
  });

  test('a manifest with errors is not saved, reports all errors, and keeps the last good revision', async () => {
    const { ports, stored, scheduled } = portsOf({
      compilation: INVALID,
      storedDefinition: earlier,
      facts: facts(),
    });
    expect(await applyPipeline(manifest, ports)).toEqual({
      outcome: 'invalid',
      errors: ['3:7: no', 'too slow'],
      facts: facts(),
      refusedTags: [EARLIER_REFUSED],
    });
    expect(stored).toEqual([]);
    expect(scheduled).toMatchObject([{ checks: checksOf('git.old') }]);
  });

  test('a manifest with a path outside the volumes of the Team is refused until the Team has that volume', async () => {
    const start = { line: 4, column: 12, byte: 40 };
    const place = {
      severity: 'error',
      code: 'volume-refused',
      range: { start, end: start },
      message: '',
      help: '',
    } as const;
    const volumes = [
      { resource: 'fs.in', path: '/srv/data/in', place: { ...place, blocks: ['resource "fs" "in"'] } },
    ];
    const compilation: Compilation = { pipeline: definition, diagnostics: [], volumes };
    const { ports, stored } = portsOf({ compilation });
    expect(await applyPipeline(manifest, ports)).toEqual({
      outcome: 'invalid',
      errors: [
        '4:12: in resource "fs" "in": ' +
          'fs.in: /srv/data/in is on no volume of Team blue; its spec.volumes has none',
      ],
    });
    expect(stored).toEqual([]);
    const volume = { name: 'data', mountPath: '/srv/data', persistentVolumeClaim: { claimName: 'data' } };
    const declared = portsOf({ compilation, volumes: [volume] });
    expect(await applyPipeline(manifest, declared.ports)).toMatchObject(ACCEPTED);
  });

  test('the errors of a first manifest are reported, and nothing is scheduled', async () => {
    const { ports, scheduled } = portsOf({ compilation: INVALID });
    expect(await applyPipeline(manifest, ports)).toEqual({
      outcome: 'invalid',
      errors: ['3:7: no', 'too slow'],
    });
    expect(scheduled).toEqual([]);
  });

  test('a manifest whose text does not exist keeps its last good revision', async () => {
    const configuration = {
      answer: 'missing',
      reason: 'ConfigMapNotFound',
      message: 'There is none.',
    } as const;
    const { ports, stored, scheduled } = portsOf({
      configuration,
      storedDefinition: earlier,
      facts: facts(),
    });
    expect(await applyPipeline(manifest, ports)).toMatchObject({
      outcome: 'unavailable',
      reason: 'ConfigMapNotFound',
    });
    expect(stored).toEqual([]);
    expect(scheduled).toMatchObject([{ checks: checksOf('git.old') }]);
  });

  test('a manifest with warnings is applied, and they are reported', async () => {
    const [error] = INVALID.diagnostics;
    const diagnostics = error === undefined ? [] : [{ ...error, severity: 'warning' as const }];
    const { ports } = portsOf({ compilation: { pipeline: definition, diagnostics } });
    expect(await applyPipeline(manifest, ports)).toMatchObject({ outcome: 'applied', warnings: ['3:7: no'] });
  });
});
