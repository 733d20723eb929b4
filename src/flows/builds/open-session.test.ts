import { describe, expect, test } from '@jest/globals';
import { signNonce } from '#adapters/crypto/agent-nonce.ts';
import { agentCredentials } from '#adapters/http/agent/credentials.ts';
import { hashKey } from '#adapters/http/agent/sessions.ts';
import { buildPodName, checkPodName } from '#adapters/kubernetes/manifests/names.ts';
import type { SessionRequest, SessionResponse } from '#domain/build/agent-protocol.ts';
import type { AgentSession } from '#domain/build/agent-session.ts';
import { workLabels } from '#domain/build/judge-agent-pod.ts';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { makeSecretPlaceholder } from '#domain/pipeline/secret-placeholder.ts';
import type { CheckRunFacts } from '#flows/pods/workloads.ts';
import { agentPodsOf, noImages, realWaiting } from '#testing/flows/agent-ports.ts';
import { checksWithoutScopes } from '#testing/flows/check-transactions.ts';
import { openBuilds } from '#testing/flows/open-builds.ts';
import { describeNotification } from '#testing/flows/recorded-notifications.ts';
import { samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import { openAgentSession, type OpenSessionPorts } from './open-session.ts';
import type { AttemptFacts } from './ports.ts';
import type { AgentSessionAnswer } from './session-ports.ts';

const KEY = Buffer.alloc(32, 1);
const AGENT_KEY = 'a'.repeat(43);
const OTHER_KEY = 's'.repeat(43);
const PEER = '198.18.0.9';
const AT = new Date('2026-11-21T10:00:00Z');
const BUILD = { kind: 'build', build: 41, attempt: 2 } as const;
const RUN = { kind: 'checks', run: 7 } as const;
const NAMES = { team: 'blue', pipeline: 'app', namespace: 'team-blue', pipelineId: 3 };

const withSecret: Pipeline = samplePipeline();
withSecret.resources = withSecret.resources.map((resource) => ({
  ...resource,
  params: { url: `https://x:${makeSecretPlaceholder('git/token')}@forge` },
}));

/** Ports over a cluster with the Pods of a build and a run, and a database with that build and that run. */
function setUp(definition: Pipeline = samplePipeline()) {
  const attempt: AttemptFacts = {
    ...NAMES,
    id: 41,
    attempt: 2,
    job: 'unit',
    number: '7',
    definition,
    createdAt: AT,
    status: 'pending',
    retries: 0,
    versions: [{ ref: 'abc' }],
  };
  const run: CheckRunFacts = { ...NAMES, run: 7, definition, checks: [{ scope: 5, resource: 'git.app' }] };
  const pods = new Map([
    [`team-blue/${buildPodName(attempt)}`, { session: BUILD as AgentSession, uid: 'u1' }],
    [`team-blue/${checkPodName('app', 7)}`, { session: RUN as AgentSession, uid: 'u2' }],
  ]);
  const effects: string[] = [];
  const keys = new Map<string, string>();
  const ports: OpenSessionPorts = {
    credentials: agentCredentials(KEY),
    waiting: realWaiting,
    now: () => AT,
    notifications: {
      notify: (notification) => void effects.push(`notify ${describeNotification(notification)}`),
    },
    pods: agentPodsOf(({ namespace, name }) => {
      const pod = pods.get(`${namespace}/${name}`);
      return pod && { uid: pod.uid, labels: workLabels(pod.session), ending: false, addresses: [PEER] };
    }),
    images: noImages,
    builds: {
      explainPending: () => Promise.resolve(),
      attemptFacts: async (build, number) => (build === 41 && number === 2 ? attempt : undefined),
      ...openBuilds({
        record: async ({ build, attempt: number }, { end }) =>
          void effects.push(`end ${build}.${number} ${end?.outcome} ${end?.reason}`),
        retry: async () => undefined,
      }),
    },
    checks: {
      runFacts: async (id) => (id === 7 ? run : undefined),
      ...checksWithoutScopes((id) => effects.push(`close ${id}`)),
    },
    sessions: {
      async openSession(session, keyHash) {
        const work = JSON.stringify(session);
        const holder = keys.get(work);
        if (holder !== undefined) return holder === keyHash ? 'same' : 'taken';
        keys.set(work, keyHash);
        return 'opened';
      },
      openWarm: async (warm, keyHash) => {
        const holder = keys.get(`warm ${warm}`);
        if (holder !== undefined) return { answer: holder === keyHash ? 'same' : 'taken' };
        keys.set(`warm ${warm}`, keyHash);
        return { answer: 'opened' };
      },
    },
  };
  return { ports, pods, keys, effects, attempt, run };
}

const buildRequest = (more: Partial<SessionRequest> = {}): SessionRequest => ({
  key: AGENT_KEY,
  pod: {
    namespace: 'team-blue',
    name: buildPodName({ ...NAMES, id: 41, attempt: 2, job: 'unit', number: '7' }),
    uid: 'u1',
  },
  nonce: signNonce(KEY, BUILD),
  ...more,
});
const runRequest: SessionRequest = {
  key: AGENT_KEY,
  pod: { namespace: 'team-blue', name: checkPodName('app', 7), uid: 'u2' },
  nonce: signNonce(KEY, RUN),
};

async function planWith(more: { logLimitBytes?: number }): Promise<unknown> {
  const answer = await openAgentSession(buildRequest(), PEER, { ...setUp().ports, ...more });
  return 'response' in answer && answer.response.work === 'build' ? answer.response.plan : undefined;
}

describe('the right agent', () => {
  test('an agent gets its plan, and its key is the session', async () => {
    const { ports, keys } = setUp();
    const answer = await openAgentSession(buildRequest(), PEER, ports);
    expect(answer).toMatchObject({
      answer: 'opened',
      session: BUILD,
      response: {
        work: 'build',
        plan: {
          build: { id: '41', team: 'blue', attempt: 2 },
          steps: [{ version: { ref: 'abc' } }, {}],
        },
      },
    });
    expect([...keys.values()]).toEqual([hashKey(AGENT_KEY)]);
  });

  test('an agent gets the limit of its log, if the installation sets one', async () => {
    expect(await planWith({ logLimitBytes: 1000 })).toHaveProperty('logLimitBytes', 1000);
    expect(await planWith({})).not.toHaveProperty('logLimitBytes');
  });

  test('an agent gets the checks of its run', async () => {
    expect(await openAgentSession(runRequest, PEER, setUp().ports)).toMatchObject({
      answer: 'opened',
      response: { work: 'checks', run: { run: '7', checks: [{ scope: '5', resource: 'git.app' }] } },
    });
  });

  test('an agent gets the same answer again if the first was lost', async () => {
    const { ports } = setUp();
    const first = await openAgentSession(buildRequest(), PEER, ports);
    const second = await openAgentSession(buildRequest(), PEER, ports);
    expect(second).toEqual({ ...first, answer: 'same' });
  });

  test('an agent gets placeholders in place of secrets', async () => {
    const answer = await openAgentSession(buildRequest(), PEER, setUp(withSecret).ports);
    const env = { param_url: `https://x:${makeSecretPlaceholder('git/token')}@forge` };
    expect(answer).toMatchObject({ response: { plan: { steps: [{ needsSecrets: true, env }, {}] } } });
  });

  describe.each([
    ['a definition without secrets', samplePipeline(), undefined],
    ['a definition with a secret', withSecret, true],
  ])('an agent of %s', (_, definition, needsSecrets) => {
    // `ref` looks like a secret that the second definition uses, `other` like one that does not exist.
    const lookalike = { ref: makeSecretPlaceholder('git/token'), other: makeSecretPlaceholder('git/absent') };
    const env = { version_ref: lookalike.ref, version_other: lookalike.other };

    test('a version that looks like a secret reaches the agent unchanged, and marks no step', async () => {
      const { ports, attempt } = setUp(definition);
      attempt.versions = [lookalike];
      const answer = await openAgentSession(buildRequest(), PEER, ports);
      expect(answer).toMatchObject({ response: { plan: { steps: [{ version: lookalike, env }, {}] } } });
      expect(JSON.stringify(answer).includes('needsSecrets')).toBe(needsSecrets === true);
    });

    test('the last version of a check reaches the agent unchanged', async () => {
      const { ports, run } = setUp(definition);
      run.checks = run.checks.map((check) => ({ ...check, last: lookalike }));
      const answer = await openAgentSession(runRequest, PEER, ports);
      expect(answer).toMatchObject({ response: { run: { checks: [{ env }] } } });
      expect(JSON.stringify(answer).includes('needsSecrets')).toBe(needsSecrets === true);
    });
  });

  test("an agent of a CronJob's Pod has nothing to do if everything is being checked", async () => {
    const { ports, keys } = setUp();
    const pod = { namespace: 'team-blue', name: 'app-check-hourly-29400000-xyz', uid: 'u3' };
    const labels = {
      'app.kubernetes.io/managed-by': 'millrace',
      'millrace.dev/pipeline-id': '3',
      'millrace.dev/check-group': 'hourly',
    };
    ports.pods = agentPodsOf(() => ({ uid: 'u3', labels, ending: false, addresses: [] }), {
      token: 'projected',
      pod,
    });
    const answer = await openAgentSession({ key: AGENT_KEY, pod, token: 'projected' }, PEER, ports);
    expect(answer).toMatchObject({ answer: 'opened', response: { work: 'checks', run: { checks: [] } } });
    expect(keys.size).toBe(0);
  });
});

describe('an agent whose Pod has no address yet', () => {
  /**
   * Ports over a cluster in which each read of the Pod shows the next of these addresses, and later reads
   * show the last. `maxWaitMs`: how long the session waits for the right address.
   */
  function withLateAddress(
    definition?: Pipeline,
    addresses: string[][] = [[], [], [PEER]],
    maxWaitMs = 60_000,
  ) {
    const base = setUp(definition);
    const { pods } = base.ports;
    const offered: SessionResponse[] = [];
    base.ports.pods = {
      ...pods,
      async find(name) {
        const answer = await pods.find(name);
        const shown = addresses.length > 1 ? addresses.shift() : addresses[0];
        return answer.answer === 'found'
          ? { ...answer, pod: { ...answer.pod, addresses: shown ?? [] } }
          : answer;
      },
    };
    const open = (request = buildRequest(), peer = PEER): Promise<AgentSessionAnswer> =>
      openAgentSession(request, peer, { ...base.ports, waiting: { ...realWaiting, maxWaitMs } }, (work) => {
        expect(base.keys.size).toBe(0);
        offered.push(work);
      });
    return { ...base, offered, open };
  }

  test('an agent without an address gets its work at once, and its session when the address shows', async () => {
    const { open, offered, keys } = withLateAddress(withSecret);
    const answer = await open();
    expect(answer).toMatchObject({ answer: 'opened' });
    expect(offered).toEqual(answer.answer === 'opened' ? [answer.response] : []);
    expect(keys.size).toBe(1);
  });

  test('an agent without an address gets its checks at once', async () => {
    const { open, offered } = withLateAddress();
    expect(await open(runRequest)).toMatchObject({ answer: 'opened' });
    expect(offered).toMatchObject([{ work: 'checks', run: { run: '7' } }]);
  });

  const unoffered: Record<
    string,
    [outcome: string, late: ReturnType<typeof withLateAddress>, request?: SessionRequest]
  > = {
    'the work of another Pod': [
      'refused',
      withLateAddress(),
      buildRequest({ pod: { ...buildRequest().pod, uid: 'u9' } }),
    ],
    'work by an invented nonce': ['refused', withLateAddress(), buildRequest({ nonce: 'b.41.2.invented' })],
  };
  test.each(Object.entries(unoffered))(
    'an agent without an address gets no early answer: %s',
    async (_name, [outcome, late, request]) => {
      expect(await late.open(request)).toMatchObject({ answer: outcome });
      expect(late.offered).toEqual([]);
    },
  );

  test('an agent whose address never shows has to try again, and one at another address is refused', async () => {
    const never = withLateAddress(undefined, [[]], 100);
    expect(await never.open()).toMatchObject({ answer: 'not-yet' });
    const elsewhere = withLateAddress(undefined, [[], ['198.18.0.66']]);
    expect(await elsewhere.open()).toMatchObject({ answer: 'refused' });
    expect([never, elsewhere].map(({ offered, keys }) => [offered.length, keys.size])).toEqual([
      [1, 0],
      [1, 0],
    ]);
  });
});

describe('anyone else', () => {
  test('a credential from another address gets nothing and has no effect on the build', async () => {
    const { ports, keys, effects } = setUp();
    expect(await openAgentSession(buildRequest({ key: OTHER_KEY }), '198.18.0.66', ports)).toMatchObject({
      answer: 'refused',
    });
    expect([keys.size, effects]).toEqual([0, []]);
    expect(await openAgentSession(buildRequest(), PEER, ports)).toMatchObject({ answer: 'opened' });
  });

  test('a second key from the right address ends the build with the reason', async () => {
    const { ports, effects } = setUp();
    await openAgentSession(buildRequest({ key: OTHER_KEY }), PEER, ports);
    expect(await openAgentSession(buildRequest(), PEER, ports)).toEqual({ answer: 'taken', session: BUILD });
    expect(effects).toEqual(['end 41.2 failed AgentAuthentication', 'notify schedule 3', 'notify status 3']);
  });

  test('a Pod of another namespace with the nonce and labels is refused', async () => {
    const { ports, pods, keys } = setUp();
    const { name } = buildRequest().pod;
    pods.set(`team-red/${name}`, { session: BUILD, uid: 'u9' });
    const pod = { namespace: 'team-red', name, uid: 'u9' };
    expect(await openAgentSession(buildRequest({ pod }), PEER, ports)).toEqual({
      answer: 'refused',
      reason: 'the work belongs to namespace team-blue',
    });
    expect(keys.size).toBe(0);
  });

  test('another Pod of the namespace with the nonce and labels is refused', async () => {
    const { ports, pods } = setUp();
    pods.set('team-blue/mine', { session: BUILD, uid: 'u9' });
    const pod = { namespace: 'team-blue', name: 'mine', uid: 'u9' };
    expect(await openAgentSession(buildRequest({ pod }), PEER, ports)).toMatchObject({ answer: 'refused' });
  });

  test('an agent of a replaced attempt has to end', async () => {
    const { ports, pods, attempt } = setUp();
    const old = { ...BUILD, attempt: 1 };
    const name = buildPodName({ ...attempt, attempt: 1 });
    pods.set(`team-blue/${name}`, { session: old, uid: 'u0' });
    const request = buildRequest({
      nonce: signNonce(KEY, old),
      pod: { namespace: 'team-blue', name, uid: 'u0' },
    });
    expect(await openAgentSession(request, PEER, ports)).toEqual({ answer: 'over' });
  });

  test('an agent tries again if the API server does not answer', async () => {
    const reason = 'reading Pod team-blue/app: refused (Unreachable)';
    const { ports, keys } = setUp();
    ports.pods.find = async () => ({ answer: 'unavailable', reason });
    expect(await openAgentSession(buildRequest(), PEER, ports)).toEqual({ answer: 'not-yet', reason });
    expect(keys.size).toBe(0);
  });

  test('a database that is unreachable is an error for every caller', async () => {
    const { ports } = setUp();
    ports.builds.attemptFacts = async () => {
      throw new Error('away');
    };
    await expect(openAgentSession(buildRequest(), PEER, ports)).rejects.toThrow('away');
    expect(await openAgentSession(buildRequest(), '198.18.0.66', ports)).toMatchObject({ answer: 'refused' });
  });
});

describe('the agent of a warm Pod', () => {
  const WARM = { kind: 'warm', warm: 5 } as const;
  const withoutNonce = { key: AGENT_KEY, pod: { namespace: 'team-blue', name: 'warm-blue-5', uid: 'u5' } };
  const request = { ...withoutNonce, nonce: signNonce(KEY, WARM) };
  const withPod = () => {
    const base = setUp();
    base.pods.set('team-blue/warm-blue-5', { uid: 'u5', session: WARM });
    return base;
  };

  test('waits for work, and the same key may ask again', async () => {
    const { ports, effects } = withPod();
    const waiting = { session: WARM, response: { work: 'wait' } };
    expect(await openAgentSession(request, PEER, ports)).toEqual({ answer: 'opened', ...waiting });
    expect(await openAgentSession(request, PEER, ports)).toEqual({ answer: 'same', ...waiting });
    expect(effects).toEqual([]);
  });

  test('is refused from another address, and in a Pod with the labels of a build', async () => {
    const { ports, pods } = withPod();
    expect(await openAgentSession(request, '203.0.113.9', ports)).toMatchObject({ answer: 'refused' });
    pods.set('team-blue/warm-blue-5', { uid: 'u5', session: BUILD });
    expect(await openAgentSession(request, PEER, ports)).toMatchObject({ answer: 'refused' });
  });

  test('has to try again until the operator has recorded the Pod', async () => {
    const { ports } = withPod();
    const sessions = { ...ports.sessions, openWarm: async () => ({ answer: 'not-yet' as const }) };
    expect(await openAgentSession(request, PEER, { ...ports, sessions })).toMatchObject({
      answer: 'not-yet',
    });
  });

  test('ends the build that has taken its Pod if a second key shows the credential', async () => {
    const { ports, effects } = withPod();
    const by = { build: 41, attempt: 2 };
    const sessions = { ...ports.sessions, openWarm: async () => ({ answer: 'taken' as const, build: by }) };
    expect(await openAgentSession(request, PEER, { ...ports, sessions })).toMatchObject({ answer: 'taken' });
    expect(effects).toContain('end 41.2 failed AgentAuthentication');
  });
});
