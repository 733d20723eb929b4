import { describe, expect, test } from '@jest/globals';
import type { CheckRun } from '#domain/planning/plan.ts';
import {
  bundle,
  certificate,
  check,
  refusesResults,
  gateway,
  pod,
  runAll,
  shim,
  startWith,
  useAgent,
  useGateway,
} from '#testing/agent/agent-under-test.ts';
import { FakeGateway } from '#testing/agent/fake-gateway.ts';
import { ended } from '#testing/agent/local-pod.ts';

useAgent();

const SECRET = { needsSecrets: true, env: { SECRET: 's3cret' } } as const;

describe('the checks of a run', () => {
  test('report independently, and one that fails does not affect the others', async () => {
    const results = await runAll([
      check('good', 'echo looking >&2; echo "[{\\"ref\\":\\"$version_ref\\"},{\\"ref\\":\\"b\\"}]"', {
        env: { version_ref: 'a' },
      }),
      check('bad', 'echo hello'),
      check('failed', 'echo trying >&2; echo because of s3cret >&2; exit 4', SECRET),
      check('late', 'sleep 1000', { timeoutSeconds: 1 }),
      check('leaking', 'echo "[{\\"url\\":\\"https://s3cret@host\\"}]"; echo s3cret >&2', SECRET),
      check(
        'own',
        'test -z "$(ls)"; touch mine; echo "[{\\"dir\\":\\"$(test "$PWD" = "$WORKDIR" && echo same)\\"}]"',
      ),
      check('long', 'head -c 2000000 /dev/zero | tr "\\0" x'),
      check('none', 'echo "[]"'),
      check('refused', 'echo never', { refusal: 'The secret token has no value.' }),
      check('much', 'seq 150 | jq --slurp "map({n: .})"'),
    ]);
    expect(results.get('good')).toEqual({
      scope: 'good',
      versions: [{ ref: 'a' }, { ref: 'b' }],
      log: 'looking\n',
    });
    expect(results.get('bad')).toMatchObject({
      error: expect.stringContaining('It begins with: "hello\\n"'),
    });
    expect(results.get('failed')).toEqual({
      scope: 'failed',
      error: 'The check failed: exit code 4. because of ***',
      log: 'trying\nbecause of ***\n',
    });
    expect(results.get('late')).toMatchObject({ error: 'The check took longer than 1 s.' });
    expect(results.get('leaking')).toEqual({
      scope: 'leaking',
      error: 'The field "url" of a version holds a secret; versions are stored and shown.',
      log: '***\n',
    });
    expect(results.get('own')).toMatchObject({ versions: [{ dir: 'same' }] });
    expect(results.get('long')).toMatchObject({
      error: expect.stringMatching(/^The check printed more than 1048576 bytes; .* It begins with: ".{200}/),
    });
    expect(results.get('none')).toEqual({ scope: 'none', versions: [], log: '' });
    expect(results.get('refused')).toEqual({
      scope: 'refused',
      error: 'The secret token has no value.',
      log: '',
    });
    const newest = Array.from({ length: 100 }, (_, index) => ({ n: String(index + 51) }));
    expect(results.get('much')).toMatchObject({ versions: newest, cut: 50 });
  });

  test('run in parallel up to a limit', async () => {
    const untilFourRun = `until [ $(ls ${pod.workdir} | wc -l) -ge 4 ]; do sleep 0.02; done; sleep 0.5`;
    const checks = Array.from({ length: 8 }, (_, index) =>
      check(
        String(index),
        `(date +%s%N; touch ${pod.workdir}/${index}; ${untilFourRun}; date +%s%N) >&2; echo "[]"`,
      ),
    );
    await runAll(checks);
    const spans = gateway.results.map(({ log }) => {
      const [from = 0, to = 0] = log
        .trim()
        .split('\n')
        .map((line) => Number(line) / 1e6);
      return { from, to };
    });
    const parallelCounts = spans.map(
      ({ from: at }) => spans.filter(({ from, to }) => from <= at && at < to).length,
    );
    expect(Math.max(...parallelCounts)).toBe(4);
  });

  test('that other Pods have run leave nothing to report: the agent sends one request and exits', async () => {
    const run: CheckRun = { format: 2, run: '0', containers: [], checks: [] };
    useGateway(new FakeGateway(certificate, { work: 'checks', run }));
    await gateway.open();
    const worker = pod.startShim(shim, 'worker');
    const environment = { MILLRACE_CONTAINERS: 'worker' };
    expect(await ended(pod.startAgent(bundle, gateway.url, certificate.cert, environment))).toBe(0);
    expect(await ended(worker)).toBe(0);
    expect(gateway.requests).toBe(1);
  });

  test('end with success if their run was closed meanwhile', async () => {
    const run: CheckRun = {
      format: 2,
      run: '1',
      containers: [{ name: 'worker' }],
      checks: [check('a', 'true')],
    };
    expect(await ended(await startWith({ work: 'checks', run }, undefined, refusesResults))).toBe(0);
  });

  test('report their results through a gateway with faults', async () => {
    let refusals = 3;
    const run: CheckRun = {
      format: 2,
      run: '1',
      containers: [{ name: 'worker' }],
      checks: [check('a', 'echo "[]"')],
    };
    const agent = await startWith({ work: 'checks', run }, undefined, (path) => {
      refusals -= path.endsWith('check-results') ? 1 : 0;
      return path.endsWith('check-results') && refusals >= 0 ? 'refuse' : undefined;
    });
    expect(await ended(agent)).toBe(0);
    expect(gateway.checksDone).toBe(true);
  });
});
