import { describe, expect, test } from '@jest/globals';
import { samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import type { IssueIdentityPorts } from './identity-ports.ts';
import { issueIdentityTokens, MAX_IDENTITY_TOKENS } from './issue-identity-tokens.ts';

const definition = samplePipeline();
const [job] = definition.jobs;
if (job === undefined) throw new Error('the sample has no job');

const facts = {
  id: 41,
  team: 'main',
  pipeline: 'app',
  pipelineId: 1,
  namespace: 'main',
  job: job.name,
  number: '7',
  attempt: 1,
  definition: {
    ...definition,
    jobs: [{ ...job, identity: [{ audience: 'one' }, { name: 'two', audience: 'two' }] }],
  },
  status: 'started' as const,
  createdAt: new Date(0),
  retries: 0,
  versions: [{ ref: 'a' }],
};

function portsWith(more: Partial<IssueIdentityPorts> = {}) {
  const counts: number[] = [];
  let id = 0;
  const ports: IssueIdentityPorts = {
    builds: { attemptFacts: async (build, attempt) => (build === 41 && attempt === 1 ? facts : undefined) },
    sessions: {
      countIdentityTokens: async (_attempt, { count, max }) => {
        expect(max).toBe(MAX_IDENTITY_TOKENS);
        counts.push(count);
        return 'counted';
      },
    },
    identitySigner: async () => ({
      answer: 'ready',
      sign: async ({ aud, jti, exp, iat }) => `${aud} ${jti} ${exp - iat}`,
    }),
    externalUrl: 'https://ci.test',
    newTokenId: () => {
      id += 1;
      return `id-${id}`;
    },
    now: () => new Date('2030-01-01T00:00:00.900Z'),
    ...more,
  };
  return { ports, counts };
}

describe('a step', () => {
  test('gets a token for each audience, each with an id of its own, and they are counted', async () => {
    const { ports, counts } = portsWith();
    expect(await issueIdentityTokens({ build: 41, attempt: 1 }, { seconds: 120 }, ports)).toEqual({
      answer: 'issued',
      tokens: { MILLRACE_ID_TOKEN: 'one id-1 120', MILLRACE_ID_TOKEN_TWO: 'two id-2 120' },
      issued: [
        { id: 'id-1', audience: 'one' },
        { id: 'id-2', audience: 'two' },
      ],
    });
    expect(counts).toEqual([2]);
  });

  test.each<[title: string, more: Partial<IssueIdentityPorts>, answer: object]>([
    [
      'of a build that has ended',
      { sessions: { countIdentityTokens: async () => 'over' } },
      { answer: 'over' },
    ],
    [
      'of a build that has got too many tokens',
      { sessions: { countIdentityTokens: async () => 'too-many' } },
      { answer: 'refused', reason: 'One attempt of a build gets at most 500 identity tokens.' },
    ],
    [
      'without externalURL',
      { externalUrl: undefined },
      { answer: 'refused', reason: expect.stringContaining('Set externalURL') },
    ],
    [
      'while there is no key',
      { identitySigner: async () => ({ answer: 'unavailable', reason: 'no key' }) },
      { answer: 'unavailable', reason: 'no key' },
    ],
  ])('%s gets no token', async (_title, more, answer) => {
    const { ports } = portsWith(more);
    expect(await issueIdentityTokens({ build: 41, attempt: 1 }, {}, ports)).toEqual(answer);
  });

  test('of another attempt gets no token', async () => {
    const { ports, counts } = portsWith();
    expect(await issueIdentityTokens({ build: 41, attempt: 2 }, {}, ports)).toEqual({ answer: 'over' });
    expect(counts).toEqual([]);
  });
});
