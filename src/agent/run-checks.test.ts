import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import type { CheckResult } from '#domain/build/agent-protocol.ts';
import type { CheckPlan } from '#domain/planning/plan.ts';
import { PrintingContainer } from '#testing/agent/printing-container.ts';
import { propertyRuns } from '#testing/hcl/property-runs.ts';
import { runChecks } from './run-checks.ts';
import { Stop } from './stop.ts';

/** What the gateway takes in one request. */
const MAX_RESULTS_BYTES = 16 * 1024 * 1024;
/** How much of its stderr a check reports. */
const LOG_BYTES = 64 * 1024;
/** How much of a wrong stdout a check quotes. */
const QUOTED_CHARACTERS = 200;

interface RunReport {
  results: CheckResult[];
  /** The body of each request. */
  requests: string[];
}

/** Runs checks that print these texts. Each of them has the secret. */
async function runPrinting(
  outputs: { stdout?: string; stderr?: string; code?: number }[],
  secret = 'hunter2-hunter2',
): Promise<RunReport> {
  const report: RunReport = { results: [], requests: [] };
  const checks = outputs.map((_, index): CheckPlan => {
    const command = { container: 'worker', argv: ['check'] };
    const env = { INDEX: String(index) };
    return { scope: String(index), resource: 'r', command, env, timeoutSeconds: 60, needsSecrets: true };
  });
  const shim = new PrintingContainer('worker', ({ env }) => outputs[Number(env['INDEX'])] ?? {});
  await runChecks({
    run: { format: 2, run: '1', containers: [{ name: 'worker' }], checks },
    shims: new Map([['worker', shim]]),
    stop: new Stop(),
    post: async (request) => {
      report.results.push(...request.results);
      report.requests.push(JSON.stringify(request));
      await Promise.resolve();
    },
    requestSecrets: async ({ operation }) => {
      const check = checks.find(({ scope }) => scope === operation);
      if (check === undefined) throw new Error(`no check ${operation}`);
      return await Promise.resolve({ answer: 'filled', operation: check, masks: [secret] });
    },
  });
  return report;
}

describe('what a check reports', () => {
  const secrets = fc.string({ unit: fc.constantFrom('a', 'b', '0'), minLength: 8, maxLength: 60 });

  test('shows no part of a secret where its log is cut', async () => {
    await fc.assert(
      fc.asyncProperty(secrets, fc.nat({ max: 80 }), async (secret, dotsAfter) => {
        const stderr = `...${secret}${'.'.repeat(LOG_BYTES - dotsAfter)}`;
        const { results } = await runPrinting([{ stdout: '[]', stderr }], secret);
        expect(results[0]?.log).toMatch(/^[.*]*$/);
      }),
      { numRuns: propertyRuns(50) },
    );
  });

  test('shows no part of a secret where its wrong output is cut', async () => {
    await fc.assert(
      fc.asyncProperty(secrets, fc.nat({ max: 80 }), async (secret, shown) => {
        const stdout = `${'.'.repeat(QUOTED_CHARACTERS - shown)}${secret}...`;
        const { results } = await runPrinting([{ stdout }], secret);
        expect(results[0]?.error).toMatch(/It begins with: "[.*]*"$/);
      }),
      { numRuns: propertyRuns(50) },
    );
  });

  test('fails alone if its versions are too large, although its output is small', async () => {
    const large = versionsWith(256);
    expect(large.length).toBeLessThan(100_000);
    const { results } = await runPrinting([{ stdout: large }, { stdout: '[{"ref":"a"}]' }]);
    const byScope = new Map(results.map((result) => [result.scope, result]));
    expect(byScope.get('0')).toMatchObject({
      error: expect.stringMatching(
        /^The new versions of the check take \d+ bytes as JSON, more than 4194304\.$/,
      ),
    });
    expect(byScope.get('0')?.versions).toBeUndefined();
    expect(byScope.get('1')?.versions).toEqual([{ ref: 'a' }]);
  });

  test('is sent in requests that the gateway takes, however large the results are', async () => {
    const { results, requests } = await runPrinting(
      Array.from({ length: 5 }, () => ({ stdout: versionsWith(200) })),
    );
    expect(
      results
        .map(({ scope, versions }) => [scope, versions?.length])
        .toSorted(([a], [b]) => Number(a) - Number(b)),
    ).toEqual(Array.from({ length: 5 }, (_, index) => [String(index), 100]));
    expect(Math.max(...requests.map((body) => body.length))).toBeLessThan(MAX_RESULTS_BYTES / 2);
    expect(requests.map((body) => body.endsWith('"done":true}'))).toEqual(
      requests.map((_, index) => index === requests.length - 1),
    );
  });

  test('is sent together with others if the results are small', async () => {
    const { requests } = await runPrinting(Array.from({ length: 5 }, () => ({ stdout: '[]' })));
    expect(requests.length).toBeLessThanOrEqual(3);
  });
});

/** A hundred versions whose fields share a long prefix when they are flattened. */
function versionsWith(fields: number): string {
  const version = (index: number) => ({
    [`${index}`.padEnd(190, 'x')]: Array.from({ length: fields }, () => 1),
  });
  return JSON.stringify(Array.from({ length: 100 }, (_, index) => version(index)));
}
