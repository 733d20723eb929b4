import { expect, test } from '@jest/globals';
import { pipelineObjects } from './pipeline-objects.ts';

const KEY = { namespace: 'blue', name: 'app' };
const ANNOTATION = 'millrace.dev/requested-at';

/** The API server with one Pipeline that the operator has judged. */
function setUp() {
  const ready = { type: 'Ready', status: 'False', reason: 'SourceUnavailable', message: 'It is away.' };
  const stored = {
    metadata: {
      ...KEY,
      uid: 'u',
      generation: 2,
      labels: { 'millrace.dev/managed-by': 'api' },
      annotations: { [ANNOTATION]: 'noon' },
    },
    spec: { config: 'text' },
    status: { observedRequestedAt: 'noon', conditions: [{ ...ready, observedGeneration: 2 }] },
  };
  const answer = () => ({ ok: true as const, value: JSON.parse(JSON.stringify(stored)) });
  const objects = pipelineObjects({
    get: async () => answer(),
    create: async () => answer(),
    replace: async (_, object) => {
      Object.assign(stored, JSON.parse(JSON.stringify(object)));
      return answer();
    },
    delete: async () => ({ ok: true, value: 'deleted' }),
  });
  const verdict = async () => {
    const read = await objects.read(KEY);
    return read.answer === 'done' ? read.value.verdict : read;
  };
  return { stored, objects, verdict };
}

test.each(['Retrying', 'MachineBusy'])(
  '%s is not a verdict, because the operator could not judge the text',
  async (reason) => {
    const { stored, objects } = setUp();
    Object.assign(stored.status.conditions[0] ?? {}, { reason });
    expect(await objects.read(KEY)).toMatchObject({
      value: { undecided: { reason, message: 'It is away.' } },
    });
    expect(await objects.read(KEY)).not.toHaveProperty('value.verdict');
  },
);

test('after an error, the API says why there is no verdict on the newest request', async () => {
  const { stored, objects } = setUp();
  const fault = { type: 'Reconciling', status: 'True', reason: 'Retrying', message: 'The database is away.' };
  stored.status.conditions.push({ ...fault, observedGeneration: 2 });
  expect(await objects.read(KEY)).toMatchObject({ value: { verdict: { reason: 'SourceUnavailable' } } });
  Object.assign(stored.metadata.annotations, { [ANNOTATION]: 'later' });
  const read = await objects.read(KEY);
  expect(read).toMatchObject({
    value: { undecided: { reason: 'Retrying', message: 'The database is away.' } },
  });
  expect(read).not.toHaveProperty('value.verdict');
});

test('an equal text that is saved again has no verdict until the operator has fetched its sources', async () => {
  const { stored, objects, verdict } = setUp();
  expect(await verdict()).toMatchObject({ reason: 'SourceUnavailable' });
  const read = await objects.read(KEY);
  if (read.answer !== 'done') throw new Error(read.answer);
  await objects.replace(read.value, read.value.spec, 'ann');
  expect(await verdict()).toBeUndefined();
  stored.status.observedRequestedAt = stored.metadata.annotations[ANNOTATION] ?? '';
  expect(await verdict()).toMatchObject({ reason: 'SourceUnavailable' });
});
