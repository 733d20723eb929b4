import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import type { HookPlan } from '#domain/planning/plan.ts';
import { PrintingContainer } from '#testing/agent/printing-container.ts';
import { propertyRuns } from '#testing/hcl/property-runs.ts';
import { runHookPlans } from './run-hooks.ts';
import { Stop } from './stop.ts';

/** How much output of a hook the agent keeps if it runs only this one. */
const OUTPUT_BYTES = 64 * 1024;

/** Runs one hook with this secret. Returns the output that it reports. */
async function outputOf(secret: string, printed: string): Promise<string> {
  const command = { container: 'worker', argv: ['notify'] };
  const names = { version: '7', job: 'unit', hook: 'slack.ops' };
  const hook: HookPlan = { id: '7.0', ...names, needsSecrets: true, command, env: {} };
  const shim = new PrintingContainer('worker', () => ({ stdout: printed }));
  const [result] = await runHookPlans({
    hooks: { workdir: '/work', seconds: 60, plans: [hook], leftOut: 0 },
    requestSecrets: async () => await Promise.resolve({ answer: 'filled', operation: hook, masks: [secret] }),
    shims: new Map([['worker', shim]]),
    stop: new Stop(),
    until: performance.now() + 60_000,
  });
  return result?.output ?? '';
}

test('the output of a hook shows no part of a secret at its beginning, wherever it is cut', async () => {
  const secrets = fc.string({ unit: fc.constantFrom('a', 'b', '0'), minLength: 8, maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(secrets, fc.nat({ max: 80 }), async (secret, dotsAfter) => {
      const after = '.'.repeat(OUTPUT_BYTES - dotsAfter);
      expect(await outputOf(secret, `...${secret}${after}`)).toMatch(/^[.*]*$/);
    }),
    { numRuns: propertyRuns(50) },
  );
});
