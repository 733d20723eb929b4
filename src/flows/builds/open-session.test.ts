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
import { textOf } from '#testing/flows/recorded-notifications.ts';
import { samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import { openAgentSession, type OpenSessionPorts } from './open-session.ts';
import type { AttemptFacts } from './ports.ts';
import type { AgentSessionAnswer } from './session-ports.ts';

const KEY = Buffer.alloc(32, 1);
const AGENT = 'a'.repeat(43);
const OTHER_POD = 's'.repeat(43);
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

/** A cluster with the Pod of the build and of the run, and a database with the build and the run. */
function world(definition: Pipeline = samplePipeline()) {
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
  const done: string[] = [];
  const keys = new Map<string, string>();
  const parts: OpenSessionPorts = {
    credentials: agentCredentials(KEY),
    waiting: realWaiting,
    now: () => AT,
    notifications: { notify: (notification) => void done.push(`notify ${textOf(notification)}`) },
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
          void done.push(`end ${build}.${number} ${end?.outcome} ${end?.reason}`),
        retry: async () => undefined,
      }),
    },
    checks: {
      runFacts: async (id) => (id === 7 ? run : undefined),
      ...checksWithoutScopes((id) => done.push(`close ${id}`)),
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
  return { parts, pods, keys, done, attempt, run };
}

const buildWord = (more: Partial<SessionRequest> = {}): SessionRequest => ({
  key: AGENT,
  pod: {
    namespace: 'team-blue',
    name: buildPodName({ ...NAMES, id: 41, attempt: 2, job: 'unit', number: '7' }),
    uid: 'u1',
  },
  nonce: signNonce(KEY, BUILD),
  ...more,
});
const runWord: SessionRequest = {
  key: AGENT,
  pod: { namespace: 'team-blue', name: checkPodName('app', 7), uid: 'u2' },
  nonce: signNonce(KEY, RUN),
};

async function planWith(more: { logLimitBytes?: number }): Promise<unknown> {
  const answer = await openAgentSession(buildWord(), PEER, { ...world().parts, ...more });
  return 'response' in answer && answer.response.work === 'build' ? answer.response.plan : undefined;
}

describe('the right agent', () => {
  test('an agent gets its plan, and its key is the session', async () => {
    const { parts, keys } = world();
    const answer = await openAgentSession(buildWord(), PEER, parts);
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
    expect([...keys.values()]).toEqual([hashKey(AGENT)]);
  });

  test('receives the limit of its log, if the installation sets one', async () => {
    expect(await planWith({ logLimitBytes: 1000 })).toHaveProperty('logLimitBytes', 1000);
    expect(await planWith({})).not.toHaveProperty('logLimitBytes');
  });

  test('an agent gets the checks of its run', async () => {
    expect(await openAgentSession(runWord, PEER, world().parts)).toMatchObject({
      answer: 'opened',
      response: { work: 'checks', run: { run: '7', checks: [{ scope: '5', resource: 'git.app' }] } },
    });
  });

  test('an agent gets the same answer again if the first was lost', async () => {
    const { parts } = world();
    const first = await openAgentSession(buildWord(), PEER, parts);
    const second = await openAgentSession(buildWord(), PEER, parts);
    expect(second).toEqual({ ...first, answer: 'same' });
  });

  test('an agent gets placeholders in place of secrets', async () => {
    const answer = await openAgentSession(buildWord(), PEER, world(withSecret).parts);
    const env = { param_url: `https://x:${makeSecretPlaceholder('git/token')}@forge` };
    expect(answer).toMatchObject({ response: { plan: { steps: [{ needsSecrets: true, env }, {}] } } });
  });

  describe.each([
    ['a definition without secrets', samplePipeline(), undefined],
    ['a definition with one', withSecret, true],
  ])('an agent of %s', (_, definition, needsSecrets) => {
    // One that exists and is in use here, and one that has no value.
    const bait = { ref: makeSecretPlaceholder('git/token'), other: makeSecretPlaceholder('git/absent') };
    const env = { version_ref: bait.ref, version_other: bait.other };

    test('a version that looks like a secret reaches the agent unchanged, and marks no step', async () => {
      const { parts, attempt } = world(definition);
      attempt.versions = [bait];
      const answer = await openAgentSession(buildWord(), PEER, parts);
      expect(answer).toMatchObject({ response: { plan: { steps: [{ version: bait, env }, {}] } } });
      expect(JSON.stringify(answer).includes('needsSecrets')).toBe(needsSecrets === true);
    });

    test('the last version of a check reaches the agent unchanged', async () => {
      const { parts, run } = world(definition);
      run.checks = run.checks.map((check) => ({ ...check, last: bait }));
      const answer = await openAgentSession(runWord, PEER, parts);
      expect(answer).toMatchObject({ response: { run: { checks: [{ env }] } } });
      expect(JSON.stringify(answer).includes('needsSecrets')).toBe(needsSecrets === true);
    });
  });

  test("an agent of a CronJob's Pod has nothing to do if everything is being checked", async () => {
    const { parts, keys } = world();
    const pod = { namespace: 'team-blue', name: 'app-check-hourly-29400000-xyz', uid: 'u3' };
    const labels = {
      'app.kubernetes.io/managed-by': 'millrace',
      'millrace.dev/pipeline-id': '3',
      'millrace.dev/check-group': 'hourly',
    };
    parts.pods = agentPodsOf(() => ({ uid: 'u3', labels, ending: false, addresses: [] }), {
      token: 'projected',
      pod,
    });
    const answer = await openAgentSession({ key: AGENT, pod, token: 'projected' }, PEER, parts);
    expect(answer).toMatchObject({ answer: 'opened', response: { work: 'checks', run: { checks: [] } } });
    expect(keys.size).toBe(0);
  });
});

describe('an agent whose Pod has no address yet', () => {
  /** The kubelet shows the address at the third look, or never. */
  function early(definition?: Pipeline, addresses: string[][] = [[], [], [PEER]]) {
    const made = world(definition);
    const { pods } = made.parts;
    const offered: SessionResponse[] = [];
    made.parts.pods = {
      ...pods,
      async find(name) {
        const found = await pods.find(name);
        const shown = addresses.length > 1 ? addresses.shift() : addresses[0];
        return found.answer === 'found' ? { ...found, pod: { ...found.pod, addresses: shown ?? [] } } : found;
      },
    };
    const open = (word = buildWord(), peer = PEER): Promise<AgentSessionAnswer> =>
      openAgentSession(word, peer, { ...made.parts, waiting: { ...realWaiting, maxWaitMs: 100 } }, (work) => {
        expect(made.keys.size).toBe(0);
        offered.push(work);
      });
    return { ...made, offered, open };
  }

  test('an agent without an address gets its work at once, and its session when the address shows', async () => {
    const { open, offered, keys } = early(withSecret);
    const answer = await open();
    expect(answer).toMatchObject({ answer: 'opened' });
    expect(offered).toEqual(answer.answer === 'opened' ? [answer.response] : []);
    expect(keys.size).toBe(1);
  });

  test('an agent without an address gets its checks at once', async () => {
    const { open, offered } = early();
    expect(await open(runWord)).toMatchObject({ answer: 'opened' });
    expect(offered).toMatchObject([{ work: 'checks', run: { run: '7' } }]);
  });

  const unoffered: Record<string, [outcome: string, of: ReturnType<typeof early>, word?: SessionRequest]> = {
    'the work of another Pod': ['refused', early(), buildWord({ pod: { ...buildWord().pod, uid: 'u9' } })],
    'work by an invented nonce': ['refused', early(), buildWord({ nonce: 'b.41.2.invented' })],
  };
  test.each(Object.entries(unoffered))(
    'an agent without an address gets no early answer: %s',
    async (_name, [outcome, of, word]) => {
      expect(await of.open(word)).toMatchObject({ answer: outcome });
      expect(of.offered).toEqual([]);
    },
  );

  test('an agent that began without an address has to try again, or is refused', async () => {
    const never = early(undefined, [[]]);
    expect(await never.open()).toMatchObject({ answer: 'not-yet' });
    const elsewhere = early(undefined, [[], ['198.18.0.66']]);
    expect(await elsewhere.open()).toMatchObject({ answer: 'refused' });
    expect([never, elsewhere].map(({ offered, keys }) => [offered.length, keys.size])).toEqual([
      [1, 0],
      [1, 0],
    ]);
  });
});

describe('anyone else', () => {
  test('a credential from another address gets nothing and has no effect on the build', async () => {
    const { parts, keys, done } = world();
    expect(await openAgentSession(buildWord({ key: OTHER_POD }), '198.18.0.66', parts)).toMatchObject({
      answer: 'refused',
    });
    expect([keys.size, done]).toEqual([0, []]);
    expect(await openAgentSession(buildWord(), PEER, parts)).toMatchObject({ answer: 'opened' });
  });

  test('another key from the right address ends the build and raises an alarm', async () => {
    const { parts, done } = world();
    await openAgentSession(buildWord({ key: OTHER_POD }), PEER, parts);
    expect(await openAgentSession(buildWord(), PEER, parts)).toEqual({ answer: 'taken', session: BUILD });
    expect(done).toEqual(['end 41.2 failed AgentAuthentication', 'notify schedule 3', 'notify status 3']);
  });

  test('a Pod of another namespace with the nonce and labels is refused', async () => {
    const { parts, pods, keys } = world();
    const { name } = buildWord().pod;
    pods.set(`team-red/${name}`, { session: BUILD, uid: 'u9' });
    const pod = { namespace: 'team-red', name, uid: 'u9' };
    expect(await openAgentSession(buildWord({ pod }), PEER, parts)).toEqual({
      answer: 'refused',
      reason: 'the work belongs into namespace team-blue',
    });
    expect(keys.size).toBe(0);
  });

  test('another Pod of the namespace with the nonce and labels is refused', async () => {
    const { parts, pods } = world();
    pods.set('team-blue/mine', { session: BUILD, uid: 'u9' });
    const pod = { namespace: 'team-blue', name: 'mine', uid: 'u9' };
    expect(await openAgentSession(buildWord({ pod }), PEER, parts)).toMatchObject({ answer: 'refused' });
  });

  test('an agent of a replaced attempt has to end', async () => {
    const { parts, pods, attempt } = world();
    const old = { ...BUILD, attempt: 1 };
    const name = buildPodName({ ...attempt, attempt: 1 });
    pods.set(`team-blue/${name}`, { session: old, uid: 'u0' });
    const word = buildWord({ nonce: signNonce(KEY, old), pod: { namespace: 'team-blue', name, uid: 'u0' } });
    expect(await openAgentSession(word, PEER, parts)).toEqual({ answer: 'over' });
  });

  test('an agent tries again if the API server does not answer', async () => {
    const reason = 'reading Pod team-blue/app: refused (Unreachable)';
    const { parts, keys } = world();
    parts.pods.find = async () => ({ answer: 'unavailable', reason });
    expect(await openAgentSession(buildWord(), PEER, parts)).toEqual({ answer: 'not-yet', reason });
    expect(keys.size).toBe(0);
  });

  test('a database that is unreachable is an error for every caller', async () => {
    const { parts } = world();
    parts.builds.attemptFacts = async () => {
      throw new Error('away');
    };
    await expect(openAgentSession(buildWord(), PEER, parts)).rejects.toThrow('away');
    expect(await openAgentSession(buildWord(), '198.18.0.66', parts)).toMatchObject({ answer: 'refused' });
  });
});

describe('the agent of a warm Pod', () => {
  const WARM = { kind: 'warm', warm: 5 } as const;
  const warmWord = { key: AGENT, pod: { namespace: 'team-blue', name: 'warm-blue-5', uid: 'u5' } };
  const word = { ...warmWord, nonce: signNonce(KEY, WARM) };
  const withPod = () => {
    const made = world();
    made.pods.set('team-blue/warm-blue-5', { uid: 'u5', session: WARM });
    return made;
  };

  test('waits for work, and the same key may ask again', async () => {
    const { parts, done } = withPod();
    const waiting = { session: WARM, response: { work: 'wait' } };
    expect(await openAgentSession(word, PEER, parts)).toEqual({ answer: 'opened', ...waiting });
    expect(await openAgentSession(word, PEER, parts)).toEqual({ answer: 'same', ...waiting });
    expect(done).toEqual([]);
  });

  test('is refused from another address, and in a Pod with the labels of a build', async () => {
    const { parts, pods } = withPod();
    expect(await openAgentSession(word, '203.0.113.9', parts)).toMatchObject({ answer: 'refused' });
    pods.set('team-blue/warm-blue-5', { uid: 'u5', session: BUILD });
    expect(await openAgentSession(word, PEER, parts)).toMatchObject({ answer: 'refused' });
  });

  test('has to try again until the operator has recorded the Pod', async () => {
    const { parts } = withPod();
    const sessions = { ...parts.sessions, openWarm: async () => ({ answer: 'not-yet' as const }) };
    expect(await openAgentSession(word, PEER, { ...parts, sessions })).toMatchObject({ answer: 'not-yet' });
  });

  test('ends the build that has taken its Pod if a second key shows the credential', async () => {
    const { parts, done } = withPod();
    const by = { build: 41, attempt: 2 };
    const sessions = { ...parts.sessions, openWarm: async () => ({ answer: 'taken' as const, by }) };
    expect(await openAgentSession(word, PEER, { ...parts, sessions })).toMatchObject({ answer: 'taken' });
    expect(done).toContain('end 41.2 failed AgentAuthentication');
  });
});
