import { describe, expect, test } from '@jest/globals';
import type { IdentityTokensRequest } from '#domain/build/agent-protocol.ts';
import type { Plan, PlanStep } from '#domain/planning/plan.ts';
import { gateway, plan, sh, start, useAgent, type Trouble } from '#testing/agent/agent-under-test.ts';
import { ended } from '#testing/agent/local-pod.ts';

useAgent();

/* Identity tokens, with a real agent and real shims. */
const WITH_IDENTITY: Partial<Plan> = { identity: true };
const signatureOf = (step: string): string => `signature-${step.replaceAll('.', '-')}-`.padEnd(86, 'x');
const tokensOf = ({ step }: IdentityTokensRequest) => ({
  tokens: { MILLRACE_ID_TOKEN: `header.payload.${signatureOf(step)}` },
});

const printToken = 'echo "token [${MILLRACE_ID_TOKEN-}]"';

async function run(steps: Partial<PlanStep>[], more: Partial<Plan> = WITH_IDENTITY, trouble?: Trouble) {
  const agent = await start(plan(steps, more), undefined, trouble);
  gateway.identity = tokensOf;
  expect(await ended(agent)).toBe(0);
}

describe('a step of a build with identity', () => {
  test('has its own token, and no log shows its signature, neither in base64 nor in a later step', async () => {
    const later = `echo ${signatureOf('0')}; printf %s "$MILLRACE_ID_TOKEN" | base64 -w 0`;
    await run([sh(printToken), sh(later, { timeoutSeconds: 89.5 })]);
    expect(gateway.identityRequests).toEqual([{ step: '0' }, { step: '1', seconds: 90 }]);
    expect(gateway.log('0')).toBe('token [header.payload.***]\n');
    const [first = '', encoded = ''] = gateway.log('1').split('\n');
    expect(first).toBe('***');
    expect(encoded).toMatch(/\*\*\*=*$/);
    const inner = Buffer.from(signatureOf('1')).toString('base64').slice(4, 40);
    expect(encoded).not.toContain(inner);
    expect(gateway.end).toMatchObject({ outcome: 'succeeded' });
  });

  test('has a new token in each attempt', async () => {
    await run([sh('[ -e again ] || { touch again; exit 1; }', { attempts: 2 })]);
    expect(gateway.identityRequests).toEqual([{ step: '0' }, { step: '0' }]);
  });

  test('has a token in hooks, and none in a notification', async () => {
    const hook: PlanStep = { id: '0.ensure.0', kind: 'command', name: 'shell', env: {}, ...sh(printToken) };
    const notification: PlanStep = { ...hook, id: '1', kind: 'notify' };
    await run([sh('true', { hooks: { ensure: [hook] } }), notification]);
    expect(gateway.identityRequests.map(({ step }) => step)).toEqual(['0', '0.ensure.0']);
    expect(gateway.log('0.ensure.0')).toBe('token [header.payload.***]\n');
    expect(gateway.log('1')).toBe('token []\n');
  });

  test('waits for a gateway that is unreachable', async () => {
    let refused = 0;
    await run([sh(printToken)], WITH_IDENTITY, (path) => {
      if (!path.endsWith('/identity-tokens') || refused === 3) return undefined;
      refused += 1;
      return refused === 1 ? 'drop' : 'refuse';
    });
    expect([refused, gateway.log('0')]).toEqual([3, 'token [header.payload.***]\n']);
  });

  test('fails with the reason if the gateway issues none, and its hooks run', async () => {
    const hook: PlanStep = {
      id: '0.on_failure.0',
      kind: 'command',
      name: 'shell',
      env: {},
      ...sh('echo told'),
    };
    const agent = await start(plan([sh('echo never', { hooks: { onFailure: [hook] } })], WITH_IDENTITY));
    gateway.identity = ({ step }) => (step === '0' ? { refused: 'Set externalURL.' } : { tokens: {} });
    expect(await ended(agent)).toBe(0);
    expect(gateway.log('0')).toBe('[Set externalURL.]\n');
    expect(gateway.log('0.on_failure.0')).toBe('told\n');
    expect(gateway.end).toMatchObject({
      outcome: 'failed',
      reason: 'IdentityMissing',
      message: 'Step 0: Set externalURL.',
    });
  });

  test('that is cancelled while it waits for its token ends at once', async () => {
    const agent = await start(plan([sh('echo never')], WITH_IDENTITY), undefined, (path) =>
      path.endsWith('/identity-tokens') ? { delay: 600_000 } : undefined,
    );
    await gateway.when(() => gateway.events.length > 0);
    gateway.cancel();
    expect(await ended(agent)).toBe(0);
    expect(gateway.end).toMatchObject({ outcome: 'cancelled' });
  });
});

test('a step of a build without identity has no token, and its agent requests none', async () => {
  await run([sh(printToken)], {});
  expect([gateway.identityRequests, gateway.log('0')]).toEqual([[], 'token []\n']);
});
