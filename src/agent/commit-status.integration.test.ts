import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { commitStatusScript } from '#domain/pipeline/built-in/commit-status.ts';
import type { Plan } from '#domain/planning/plan.ts';
import { fileAppears, gateway, plan, sh, start, useAgent } from '#testing/agent/agent-under-test.ts';
import { ended } from '#testing/agent/local-pod.ts';
import { StatusForge } from '#testing/forges/status-forge.ts';

useAgent();

/* However a build ends, its agent sets the status of its commit. */
const SHA = 'a'.repeat(40);

let forge: StatusForge;
beforeEach(async () => {
  forge = new StatusForge('gitlab', 'the-token');
  await forge.open();
});
afterEach(async () => await forge.close());

function planWithStatus(script: string, more: Partial<Plan> = {}): Plan {
  const env = {
    param_url: forge.url,
    param_provider: 'gitlab',
    param_token: 'the-token',
    BUILD_PIPELINE_NAME: 'p',
    BUILD_JOB_NAME: 'j',
    BUILD_NUMBER: '1',
    version_ref: SHA,
  };
  const notify = { name: 'commit-status.app', kind: 'notify' as const, ...sh(commitStatusScript) };
  return plan([{ ...notify, env: { ...env, notify_state: 'running' } }, sh(script)], {
    notifications: [{ on: ['success', 'failure', 'cancel'], step: { id: 'notification.0', ...notify, env } }],
    ...more,
  });
}

const ENDS: Record<string, [script: string, more: Partial<Plan>, state: string, description: string]> = {
  succeeds: ['true', {}, 'success', 'Build #1 succeeded'],
  fails: ['exit 3', {}, 'failed', 'Build #1 failed'],
  'runs out of time': ['sleep 60', { timeoutSeconds: 15 }, 'failed', 'Build #1 failed (JobTimeout)'],
  'is cancelled': ['touch begun; sleep 60', {}, 'canceled', 'Build #1 was cancelled'],
};

test.each(Object.entries(ENDS))(
  'a build that %s sets the status',
  async (title, [script, more, state, description]) => {
    const agent = await start(planWithStatus(script, more));
    if (title === 'is cancelled') {
      await fileAppears('begun');
      gateway.cancel();
    }
    expect(await ended(agent)).toBe(0);
    expect(forge.seen.map((status) => [status.sha, status.name, status.state, status.description])).toEqual([
      [SHA, 'p/j', 'running', 'Build #1: running'],
      [SHA, 'p/j', state, description],
    ]);
    expect(forge.leftOpen()).toEqual([]);
  },
);
