import { describe, expect, test } from '@jest/globals';
import type { SecretsResponse } from '#domain/build/agent-protocol.ts';
import { findOperation, type Operation } from '#domain/planning/operations.ts';
import type { PlanService, PlanStep } from '#domain/planning/plan.ts';
import { gateway, plan, sh, start, useAgent } from '#testing/agent/agent-under-test.ts';
import { ended } from '#testing/agent/local-pod.ts';

useAgent();

const WITH_TOKEN = { needsSecrets: true, env: { TOKEN: 'placeholder' } } as const;
const stepsOf = (...steps: Partial<PlanStep>[]) => plan(steps);

const commandWithToken = (script: string) => ({
  command: { container: 'worker', argv: ['/bin/sh', '-e'], script },
  env: { TOKEN: 'placeholder' },
});

/** A gateway that fills the secret of each operation with the value that `value` returns at that time. */
function answering(work: ReturnType<typeof plan>, value: (id: string) => string) {
  return (id: string): SecretsResponse => {
    const planned = findOperation(work, id);
    if (planned === undefined) return { answer: 'wait', reason: `no ${id}` };
    const current = value(id);
    const operation: Operation = JSON.parse(JSON.stringify(planned).replaceAll('placeholder', current));
    return { answer: 'filled', operation, masks: [current] };
  };
}

describe('an agent fetches secrets', () => {
  test('when a step starts, so a value that changed meanwhile is seen by later steps', async () => {
    const work = stepsOf(
      sh('echo "$TOKEN" | md5sum; echo "$TOKEN"', WITH_TOKEN),
      sh('env'),
      sh('echo "$TOKEN" | md5sum; echo "$TOKEN"', WITH_TOKEN),
    );
    const running = start(work);
    const secret = answering(work, (id) => `s3cret-of-${id}`);
    const atStart: string[] = [];
    const agent = await running;
    gateway.secrets = (id) => {
      atStart.push(`${id} after ${gateway.startedSteps().join()}`);
      return secret(id);
    };
    expect(await ended(agent)).toBe(0);
    expect(gateway.fetched).toEqual(['0', '2']);
    expect(atStart.map((line) => line.split(' ')[0])).toEqual(['0', '2']);
    expect(gateway.log('0')).not.toBe(gateway.log('2'));
    expect(gateway.log('0')).toMatch(/^[0-9a-f]{32} {2}-\n\*{3}\n$/);
    expect(gateway.log('1')).not.toContain('TOKEN');
  });

  test('again for each attempt of a step', async () => {
    const work = stepsOf(sh('test "$TOKEN" = second', { ...WITH_TOKEN, attempts: 3 }));
    const values = ['first', 'second'];
    const agent = await start(work);
    gateway.secrets = (id) => answering(work, () => values.shift() ?? '')(id);
    expect(await ended(agent)).toBe(0);
    expect(gateway.endsOf('0')).toMatchObject([{ status: 'succeeded' }]);
  });

  test('of a service when it starts, and stops the service with the same values', async () => {
    const service: PlanService = {
      id: 'service.0',
      name: 'store',
      needsSecrets: true,
      start: { ...commandWithToken('echo "$TOKEN" > token; echo "$TOKEN"'), staysInForeground: false },
      stop: commandWithToken('test "$TOKEN" = "$(cat token)" && echo same'),
    };
    const work = plan([sh('cat token')], { services: [service] });
    const agent = await start(work);
    gateway.secrets = answering(work, () => 's3cret');
    expect(await ended(agent)).toBe(0);
    expect(gateway.fetched).toEqual(['service.0']);
    expect(gateway.log('service.0.start')).toBe('[store] ***\n');
    expect(gateway.log('service.0.stop')).toBe('[store] same\n');
    expect(gateway.log('0')).toBe('***\n');
  });

  test('again until they have a value, and the log says what the step waits for', async () => {
    const work = stepsOf(sh('echo got it', WITH_TOKEN));
    const agent = await start(work);
    const secret = answering(work, () => 's3cret');
    const reason = 'The vault secret token has no value: Vault is sealed.';
    gateway.secrets = (id) => (gateway.fetched.length < 3 ? { answer: 'wait', reason } : secret(id));
    expect(await ended(agent)).toBe(0);
    expect(gateway.log('0')).toBe(`[waiting: ${reason}]\ngot it\n`);
  });

  test('again until the step times out', async () => {
    const work = stepsOf(sh('echo never', { ...WITH_TOKEN, timeoutSeconds: 1 }));
    const agent = await start(work);
    gateway.secrets = () => ({ answer: 'wait', reason: 'It is sealed.' });
    expect(await ended(agent)).toBe(0);
    expect(gateway.endOf('0')).toMatchObject({ status: 'failed', message: 'timed out after 1s' });
  });

  test('and fails the step with the reason if a secret has no value', async () => {
    const work = stepsOf(sh('echo never', WITH_TOKEN));
    const agent = await start(work);
    const refusal = 'The env secret token has no value: the Secret of the Team has no such key.';
    gateway.secrets = (id) => {
      const answer = answering(work, () => '')(id);
      return answer.answer === 'filled' ? { ...answer, operation: { ...answer.operation, refusal } } : answer;
    };
    expect(await ended(agent)).toBe(0);
    expect(gateway.log('0')).toBe(`[${refusal}]\n`);
    expect(gateway.end).toMatchObject({ reason: 'SecretMissing', message: `Step 0: ${refusal}` });
  });

  test('from the get of a secret type, whose output no log shows', async () => {
    const work = plan([sh('echo "$TOKEN"; ls /proc/self/cwd/', WITH_TOKEN)], {
      containers: [{ name: 'worker' }, { name: 'secrets', forSecrets: true }],
    });
    const script = `echo noise; echo of-s3cret >&2; touch "$WORKDIR/trace"; printf '{"k":"s3cret","n":1}'`;
    const get = {
      values: [
        { name: 'token', key: 'k' },
        { name: 'absent', key: 'x' },
      ],
      command: { container: 'secrets', argv: ['/bin/sh', '-e'], script },
      env: { param_token: 'root-t0ken' },
    };
    const agent = await start(work);
    const reportedOutputs: unknown[] = [];
    gateway.secrets = (id, secretOutputs) => {
      if (secretOutputs === undefined) return { answer: 'run', gets: [get], masks: ['root-t0ken'] };
      reportedOutputs.push(secretOutputs);
      return answering(work, () => 's3cret')(id);
    };
    expect(await ended(agent)).toBe(0);
    expect(reportedOutputs).toEqual([
      { token: { value: 's3cret' }, absent: { fault: 'its get printed no member x' } },
    ]);
    expect(gateway.log('0')).toBe('***\n');
    expect(JSON.stringify(gateway.events)).not.toMatch(/s3cret|noise|root-t0ken/);
  });

  test('from a get that fails, and reports only how the get ended', async () => {
    const work = plan([sh('echo never', WITH_TOKEN)]);
    const script = 'echo because of s3cret >&2; exit 3';
    const command = { container: 'worker', argv: ['/bin/sh', '-e'], script };
    const get = { values: [{ name: 'token', key: 'k' }], command, env: {} };
    const agent = await start(work);
    const reportedOutputs: unknown[] = [];
    gateway.secrets = (id, secretOutputs) => {
      if (secretOutputs === undefined) return { answer: 'run', gets: [get], masks: [] };
      reportedOutputs.push(secretOutputs);
      const answer = answering(work, () => '')(id);
      return answer.answer === 'filled'
        ? { ...answer, operation: { ...answer.operation, refusal: 'It has no value.' } }
        : answer;
    };
    expect(await ended(agent)).toBe(0);
    expect(reportedOutputs).toEqual([{ token: { fault: 'its get failed: exit code 3' } }]);
    expect(JSON.stringify(gateway.events)).not.toContain('because');
  });
});
