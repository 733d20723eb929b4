import { expect, test } from '@jest/globals';
import { APP, BUILD, gateway } from '#testing/http/server-under-test.ts';

/** A gateway for tests that do not change its ports. */
const sharedGateway = gateway();
const TRIGGER = `${APP}/jobs/unit/trigger`;
const jsonBody = (body: unknown) => ({ body: JSON.stringify(body) });

const givenInputs: Record<string, [inputs: object, recorded: string]> = {
  unchanged: [{ env: 'prod', dry_run: true }, '{"env":"prod","dry_run":true}'],
  'texts and lists': [{ env: 'dev', dry_run: 'true' }, '{"env":"dev","dry_run":"true"}'],
  'without null values': [{ env: null, dry_run: false }, '{"dry_run":false}'],
};
test.each(Object.entries(givenInputs))(
  'a trigger passes on inputs: %s',
  async (_name, [inputs, recorded]) => {
    const { ask, ports } = gateway();
    const answer = await ask('POST', TRIGGER, 'write@main', jsonBody({ inputs }));
    expect(answer.statusCode).toBe(201);
    expect(ports.calls).toEqual([`trigger main/app/unit by write-of-main with ${recorded}`]);
  },
);

test('a trigger with invalid inputs is refused with every reason', async () => {
  for (const query of ['', '?check=true']) {
    const body = { inputs: { enw: 1, env: 'test', dry_run: 'no' } };
    const answer = await sharedGateway.ask('POST', `${TRIGGER}${query}`, 'write@main', jsonBody(body));
    expect([answer.statusCode, answer.json()]).toMatchObject([
      400,
      {
        type: 'https://millrace.dev/problems/invalid-inputs',
        detail: expect.stringContaining(
          'The job has no input "enw"; did you mean "env"? ' +
            'Input env "test" is not one of the options: dev, prod. ' +
            'Input dry_run must be true or false, not "no".',
        ),
        reasons: expect.arrayContaining([
          expect.objectContaining({ code: 'InputUnknown' }),
          expect.objectContaining({ code: 'InputInvalid' }),
        ]),
      },
    ]);
  }
});

const refusedBodies: Record<string, [body: unknown, detail: string]> = {
  'an unknown field': [{ input: {} }, 'Unknown field "input" in the body; did you mean "inputs"?'],
  'inputs as a list': [{ inputs: [] }, 'body'],
  'a null character': [{ inputs: { env: 'a\0' } }, 'inputs.env has a character that no environment variable'],
  'an unpaired surrogate': [
    { inputs: { env: ['\ud800'] } },
    'inputs.env has a character that no environment',
  ],
  'a name with a null character': [
    { inputs: { 'a\0': 1 } },
    'inputs.a has a character that no environment variable',
  ],
  'a list in a list': [{ inputs: { env: [['a']] } }, 'inputs.env must be a string, a number, true or false'],
  'too many inputs': [
    { inputs: Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`a${index}`, 1])) },
    'body',
  ],
};
test.each(Object.entries(refusedBodies))('a trigger refuses %s', async (_name, [body, detail]) => {
  const { ask, ports } = gateway();
  const answer = await ask('POST', TRIGGER, 'write@main', jsonBody(body));
  expect([answer.statusCode, answer.json<{ detail: string }>().detail]).toEqual([
    400,
    expect.stringContaining(detail),
  ]);
  expect(ports.calls).toEqual([]);
});

test('a job shows its inputs, and a build shows their values', async () => {
  expect((await sharedGateway.ask('GET', `${APP}/jobs/unit`, 'read@main')).json()).toMatchObject({
    data: {
      inputs: [
        { name: 'env', type: 'choice', required: false, default: 'dev', options: ['dev', 'prod'] },
        { name: 'dry_run', type: 'bool', required: false, default: 'false', description: 'Change <nothing>' },
      ],
    },
  });
  const values = { input_values: { env: 'prod', dry_run: 'false' } };
  expect((await sharedGateway.ask('GET', BUILD, 'read@main')).json()).toMatchObject({ data: values });
});
