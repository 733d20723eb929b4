import { beforeEach, describe, expect, test } from '@jest/globals';
import { signNonce } from '#adapters/crypto/agent-nonce.ts';
import { agentCredentials } from '#adapters/http/agent/credentials.ts';
import { buildPodName, checkPodName } from '#adapters/kubernetes/manifests/names.ts';
import type { AgentSession } from '#domain/build/agent-session.ts';
import { workLabels } from '#domain/build/judge-agent-pod.ts';
import type { Command } from '#domain/pipeline/command.ts';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { agentPodsOf, realWaiting } from '#testing/flows/agent-ports.ts';
import { checksWithoutScopes } from '#testing/flows/check-transactions.ts';
import { openBuilds } from '#testing/flows/open-builds.ts';
import { describeNotification } from '#testing/flows/recorded-notifications.ts';
import type { LookUpAnswer } from './image-ports.ts';
import { openAgentSession, type OpenSessionPorts } from './open-session.ts';
import type { AgentSessionAnswer } from './session-ports.ts';

const KEY = Buffer.alloc(32, 1);
const AT = new Date('2026-11-23T10:00:00Z');
const NAMES = { team: 'blue', pipeline: 'app', namespace: 'team-blue', pipelineId: 3 };
const BUILD = { ...NAMES, id: 41, attempt: 2, job: 'unit', number: '7' };
const IMAGE = 'registry.example/plugin:1';
const run: Command = { runner: 'docker', image: IMAGE, entrypoint: true };

const definition: Pipeline = {
  resourceTypes: [{ name: 'feed', builtIn: false, params: [], cache: false, check: run }],
  resources: [{ name: 'feed.app', type: 'feed', label: 'app', params: {}, tags: [], cache: false }],
  jobs: [{ name: 'unit', steps: [{ kind: 'task', name: 'publish', run }] }],
};

let lookUpAnswer: LookUpAnswer;
let effects: string[];
beforeEach(() => {
  lookUpAnswer = { answer: 'found', configuration: { entrypoint: ['/plugin'], cmd: ['run'] } };
  effects = [];
});

function ports(session: AgentSession): OpenSessionPorts {
  return {
    credentials: agentCredentials(KEY),
    waiting: realWaiting,
    now: () => AT,
    notifications: {
      notify: (notification) => void effects.push(`notify ${describeNotification(notification)}`),
    },
    pods: agentPodsOf(() => ({
      uid: 'u1',
      labels: workLabels(session),
      ending: false,
      addresses: ['198.18.0.9'],
    })),
    images: {
      lookUp: ({ namespace, image, architecture }, podName) => {
        effects.push(`look up ${image} on ${architecture} for ${namespace}/${podName}`);
        return Promise.resolve(lookUpAnswer);
      },
    },
    builds: {
      attemptFacts: async () => ({
        ...BUILD,
        definition,
        createdAt: AT,
        status: 'pending',
        retries: 0,
        versions: [],
      }),
      explainPending: async (build, reason) => void effects.push(`explain ${build} ${reason}`),
      ...openBuilds({
        record: async ({ build }, { end }) =>
          void effects.push(`end ${build} ${end?.reason} ${end?.message}`),
        retry: async () => undefined,
      }),
    },
    checks: {
      runFacts: async () => ({ ...NAMES, run: 7, definition, checks: [{ scope: 5, resource: 'feed.app' }] }),
      ...checksWithoutScopes((id) => effects.push(`close ${id}`)),
    },
    sessions: {
      openSession: () => Promise.resolve('opened'),
      openWarm: () => Promise.resolve({ answer: 'over' }),
    },
  };
}

async function open(session: AgentSession, architecture?: string): Promise<AgentSessionAnswer> {
  const name = session.kind === 'build' ? buildPodName(BUILD) : checkPodName('app', 7);
  const request = {
    key: 'a'.repeat(43),
    pod: { namespace: 'team-blue', name, uid: 'u1' },
    nonce: signNonce(KEY, session),
    ...(architecture === undefined ? {} : { architecture }),
  };
  return await openAgentSession(request, '198.18.0.9', ports(session));
}

const BUILD_SESSION = { kind: 'build', build: 41, attempt: 2 } as const;
const CHECKS_SESSION = { kind: 'checks', run: 7 } as const;
const lookedUp = (architecture: string, pod: string): string =>
  `look up ${IMAGE} on ${architecture} for team-blue/${pod}`;

describe('an agent whose work runs the entrypoint of an image', () => {
  test('gets the entrypoint for the architecture of its node with the plan of a build', async () => {
    const opened = await open(BUILD_SESSION, 'arm64');
    const command = { container: 'image-1-plugin', argv: ['/plugin', 'run'] };
    expect(opened).toMatchObject({ answer: 'opened', response: { plan: { steps: [{ command }] } } });
    expect(effects).toEqual([lookedUp('arm64', buildPodName(BUILD))]);
  });

  test('gets the entrypoint with a check', async () => {
    const command = { container: 'image-1-plugin', argv: ['/plugin', 'run'] };
    expect(await open(CHECKS_SESSION)).toMatchObject({ response: { run: { checks: [{ command }] } } });
    expect(effects).toEqual([lookedUp('amd64', checkPodName('app', 7))]);
  });
});

describe('an image that cannot be looked up', () => {
  test('leaves a build pending with the reason, and its agent tries again', async () => {
    lookUpAnswer = { answer: 'wait', reason: 'The registry is unreachable.' };
    expect(await open(BUILD_SESSION)).toEqual({ answer: 'not-yet', reason: 'The registry is unreachable.' });
    expect(effects.slice(1)).toEqual([
      'explain 41 ImagePullFailed: The registry is unreachable.',
      'notify status 3',
    ]);
  });

  test('ends a build with the reason', async () => {
    lookUpAnswer = { answer: 'end', reason: 'The registry is unreachable.' };
    expect(await open(BUILD_SESSION)).toEqual({ answer: 'over' });
    expect(effects.slice(1)).toEqual([
      'end 41 ImagePullFailed The registry is unreachable.',
      'notify schedule 3',
      'notify status 3',
    ]);
  });

  test.each(['wait', 'end'] as const)(
    'ends the run of a check, which is repeated anyway, for the answer "%s"',
    async (outcome) => {
      lookUpAnswer = { answer: outcome, reason: 'The registry is unreachable.' };
      expect(await open(CHECKS_SESSION)).toEqual({ answer: 'over' });
      expect(effects).toContain('close 7');
    },
  );
});
