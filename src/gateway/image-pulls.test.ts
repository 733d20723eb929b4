import { describe, expect, test } from '@jest/globals';
import { imagePulls } from './image-pulls.ts';

type Client = Parameters<typeof imagePulls>[0];

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const dockerConfig = (text: string): object => ({
  type: 'kubernetes.io/dockerconfigjson',
  data: { '.dockerconfigjson': base64(text) },
});
const pod = { namespace: 'main', name: 'build-1' };

interface Objects {
  secretNames?: string[];
  status?: object;
  secrets?: Record<string, object>;
  /** The status of the response for Secrets that are not in `secrets`. */
  otherStatus?: number;
}

/** An API server with these objects. It adds the name of each Secret that is read to `read`. */
function clientWith(
  { secretNames = [], status = {}, secrets = {}, otherStatus = 404 }: Objects,
  read: string[] = [],
) {
  const client: Client = {
    async get(kind, { namespace, name }) {
      if (kind.plural === 'secrets') read.push(`${namespace}/${name}`);
      const spec = { imagePullSecrets: secretNames.map((secret) => ({ name: secret })) };
      const object = kind.plural === 'pods' ? { spec, status } : secrets[name];
      return object === undefined
        ? { ok: false, status: otherStatus, reason: 'Other', message: 'no' }
        : { ok: true, value: JSON.parse(JSON.stringify(object)) };
    },
  };
  return client;
}

describe('the image pull facts of a Pod', () => {
  test("have the credentials of its image pull secrets in the Pod's namespace", async () => {
    const read: string[] = [];
    const secrets = { one: dockerConfig('{"auths":{}}'), two: dockerConfig('{}') };
    const facts = await imagePulls(clientWith({ secretNames: ['one', 'two', 'one'], secrets }, read)).factsOf(
      pod,
    );
    expect(facts).toEqual({ credentialTexts: ['{"auths":{}}', '{}'] });
    expect(read).toEqual(['main/one', 'main/two']);
  });

  test('have no credentials of Secrets that are absent or of another type', async () => {
    const secrets = { one: { type: 'Opaque', data: { '.dockerconfigjson': base64('{}') } }, two: {} };
    const facts = await imagePulls(clientWith({ secretNames: ['one', 'two', 'three', ''], secrets })).factsOf(
      pod,
    );
    expect(facts).toEqual({ credentialTexts: [] });
  });

  test('are unknown while the API server does not answer', async () => {
    const unreachable = clientWith({ secretNames: ['one'], otherStatus: 0 });
    expect(await imagePulls(unreachable).factsOf(pod)).toBeUndefined();
  });

  test('have the start time of the agent, once the kubelet has reported it', async () => {
    const state = { running: { startedAt: '2026-11-23T12:00:00Z' } };
    const status = { containerStatuses: [{ name: 'worker' }, { name: 'agent', state }] };
    expect(await imagePulls(clientWith({ status })).factsOf(pod)).toEqual({
      credentialTexts: [],
      agentStartedAt: new Date('2026-11-23T12:00:00Z'),
    });
  });
});
