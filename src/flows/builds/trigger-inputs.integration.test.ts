import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { GivenInputs } from '#domain/pipeline/input-values.ts';
import type { Input } from '#domain/pipeline/pipeline.ts';
import type { SavedPipeline } from '#flows/pipelines/ports.ts';
import { get, job, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { endOn, scheduleOn } from '#testing/stores/schedule.ts';
import { recordFoundVersions, openStores, toSave, type TestStores } from '#testing/stores/stores.ts';
import { planForAgent } from './fill-secrets.ts';
import { retryBuild } from './retry-build.ts';
import { requestAfterChecks, triggerJob } from './trigger-job.ts';
import { triggerVersion } from './trigger-version.ts';

/* Inputs of builds, on Postgres. */
const APP = { team: 'main', pipeline: 'app' };
const DEPLOY = { ...APP, job: 'deploy' };
const INPUTS: Input[] = [
  { name: 'environment', type: 'choice', required: true, default: 'dev', options: ['dev', 'prod'] },
  { name: 'replicas', type: 'number', default: '1' },
  { name: 'targets', type: 'list', default: 'eu', options: [] },
];
const AUTOMATIC = { environment: 'dev', replicas: '1', targets: 'eu' };

let stores: TestStores;
let saved: SavedPipeline;
let version: number;
beforeAll(async () => void (stores = await openStores()));
afterAll(async () => await stores.close());
beforeEach(async () => {
  await stores.empty();
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  saved = await save(INPUTS);
  [version = 0] = await recordFoundVersions(stores, saved, [{ ref: 'a' }]);
});

const save = async (inputs: Input[]) => {
  const deploy = job('deploy', get('git.app', { trigger: true }), task('deploy'));
  const report = job('report', get('git.app', { trigger: true, passed: ['deploy'] }), task('report'));
  const jobs = [
    { ...deploy, inputs },
    { ...report, inputs },
  ];
  const digest = JSON.stringify(inputs);
  return await stores.pipelines.savePipeline(toSave(samplePipeline({ jobs }), { digest }));
};
const now = () => new Date();
const ports = () => ({ ...stores, notifications: { notify: () => undefined }, now });
const trigger = async (inputs?: GivenInputs) =>
  await triggerJob(DEPLOY, { by: 'ann', ...(inputs && { inputs }) }, ports());
const schedule = async () => void (await scheduleOn(stores, saved.id, now()));
const showBuild = async (number: string, name = 'deploy') =>
  await stores.views.build({ ...DEPLOY, job: name, number });
const valuesOf = async (number: string, name?: string) => (await showBuild(number, name))?.inputValues;

describe('a build', () => {
  test('of a person has the values that they gave, and the defaults of the others', async () => {
    const inputs = { environment: 'prod', targets: ['us', 'eu'], replicas: null };
    expect(await trigger(inputs)).toMatchObject({ answer: 'created', build: { number: '1' } });
    expect(await valuesOf('1')).toEqual({ environment: 'prod', replicas: '1', targets: 'us,eu' });
    const listed = await stores.views.builds(DEPLOY, { limit: 5 });
    expect(listed?.rows.map(({ inputValues }) => inputValues['environment'])).toEqual(['prod']);
  });

  test('keeps texts unchanged', async () => {
    const text = 'ü "quoted" \\u0041 \n\t{"a": 1} 😀';
    saved = await save([{ name: 'text', type: 'string', required: true, default: '' }]);
    await trigger({ text });
    expect(await valuesOf('1')).toEqual({ text });
  });

  test('of a new version has the defaults, and zero values where there are none', async () => {
    await schedule();
    expect(await valuesOf('1')).toEqual(AUTOMATIC);
  });

  test('has its values in the facts of its plan', async () => {
    await trigger({ environment: 'prod', replicas: 3 });
    const facts = await stores.builds.attemptFacts((await showBuild('1'))?.id ?? 0, 1);
    expect(facts?.inputs).toEqual({ environment: 'prod', replicas: '3', targets: 'eu' });
    expect(facts && planForAgent(facts)).toMatchObject({
      variables: { INPUT_ENVIRONMENT: 'prod', INPUT_REPLICAS: '3', INPUT_TARGETS: 'eu' },
    });
  });

  test('keeps its values when it is retried, even if the job has other inputs by then', async () => {
    await trigger({ environment: 'prod' });
    const id = (await showBuild('1'))?.id ?? 0;
    const end = { outcome: 'failed', reason: 'StepFailed', message: 'No.' } as const;
    await endOn(stores, id, 1, { ...end, at: now() });
    await save([{ name: 'other', type: 'string', default: 'x' }]);
    expect(await retryBuild({ ...DEPLOY, number: '1' }, 'ann', ports())).toMatchObject({
      answer: 'done',
      build: { number: '1.1' },
    });
    expect(await valuesOf('1.1')).toEqual({ environment: 'prod', replicas: '1', targets: 'eu' });
  });
});

describe('a trigger', () => {
  /** Build 1 is automatic; nothing else is due. */
  beforeEach(schedule);

  test('with wrong or missing inputs creates no build, with or without checks', async () => {
    const inputs = { enviroment: 'prod', replicas: 'many' };
    const codes = [{ code: 'InputUnknown' }, { code: 'InputRequired' }, { code: 'InputInvalid' }];
    const refused = { answer: 'refused', reasons: codes };
    expect(await trigger(inputs)).toMatchObject(refused);
    const request = { by: 'ann', inputs, waitMs: 60_000 };
    expect(await requestAfterChecks(DEPLOY, request, ports())).toMatchObject(refused);
    expect(await showBuild('2')).toBeUndefined();
  });

  test('with inputs and a trigger without can follow each other on one connection', async () => {
    await save(INPUTS.slice(1));
    const answers = [];
    for (const inputs of [undefined, { replicas: 2 }, undefined, { replicas: 3 }])
      answers.push(await trigger(inputs));
    expect(answers.map(({ answer }) => answer)).toEqual(Array.from(answers, () => 'created'));
    expect((await valuesOf('5'))?.['replicas']).toBe('3');
  });

  test('that waits for checks keeps the values that the person gave', async () => {
    const request = { by: 'ann', inputs: { environment: 'prod' }, waitMs: 0 };
    await requestAfterChecks(DEPLOY, request, ports());
    await stores.builds.wakeLateTriggers();
    await schedule();
    expect(await valuesOf('2')).toEqual({ ...AUTOMATIC, environment: 'prod' });
  });

  test('is refused if the job no longer takes its inputs when the checks have ended', async () => {
    const request = { by: 'ann', inputs: { environment: 'prod' }, waitMs: 60_000 };
    const waits = await requestAfterChecks(DEPLOY, request, ports());
    if (waits.answer !== 'checking') throw new Error(`The trigger does not wait: ${waits.answer}.`);
    saved = await save([]);
    await stores.builds.withWaitEnded(waits, async () => undefined);
    await schedule();
    expect(await stores.builds.triggerAnswer(waits)).toMatchObject({
      answer: 'refused',
      reasons: [{ code: 'InputUnknown' }, { code: 'CheckLate' }],
    });
  });

  test('of a version is refused while the job requires an input, and otherwise uses the defaults', async () => {
    const resource = { ...APP, resource: 'git.app' };
    const request = { version, by: 'ann' };
    expect(await triggerVersion(resource, request, ports())).toMatchObject({
      answer: 'done',
      builds: [],
      refused: [{ job: 'deploy', reasons: [{ code: 'InputRequired' }] }],
    });
    saved = await save(INPUTS.slice(1));
    expect(await triggerVersion(resource, request, ports())).toMatchObject({
      builds: [{ job: 'deploy', number: '2' }],
      refused: [],
    });
    expect(await valuesOf('2')).toEqual({ replicas: '1', targets: 'eu' });
  });
});

test('a job shows the inputs of its newest definition', async () => {
  expect((await stores.views.job(DEPLOY))?.inputs).toEqual(INPUTS);
  await save([]);
  expect((await stores.views.jobs(APP))?.map(({ inputs }) => inputs)).toEqual([[], []]);
});
