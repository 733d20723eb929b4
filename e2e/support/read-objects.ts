import { parseArgs } from 'node:util';
import { request } from 'undici';
import { kubeconfigConnection, type Connection } from '#adapters/kubernetes/api/connection.ts';
import type { KubernetesObject } from './kubectl.ts';

/*
 * `get` and `list` take the words of `kubectl get` and call the API server without kubectl. Tests poll it
 * often, and a process for each poll would take much of the machine's time.
 */

/** Plural of each kind → its API. */
const APIS: Readonly<Record<string, string>> = {
  cronjobs: 'apis/batch/v1',
  deployments: 'apis/apps/v1',
  events: 'apis/events.k8s.io/v1',
  nodes: 'api/v1',
  persistentvolumeclaims: 'api/v1',
  pipelines: 'apis/millrace.dev/v1alpha1',
  pods: 'api/v1',
  services: 'api/v1',
  statefulsets: 'apis/apps/v1',
  teams: 'apis/millrace.dev/v1alpha1',
};

let connection: Promise<Connection> | undefined;

/**
 * Returns one object. Throws an error with the API server's answer if the server does not return the object.
 */
export const get = async (...words: string[]): Promise<KubernetesObject> => {
  const { kind, name, namespace } = readWords(words);
  if (name === undefined || name === '') throw new Error(`get ${words.join(' ')}: which object?`);
  return await ask<KubernetesObject>(pathOf(kind, namespace, name));
};

export const list = async (...words: string[]): Promise<KubernetesObject[]> => {
  const { kind, name, namespace, selector, fields } = readWords(words);
  if (name !== undefined) throw new Error(`list ${words.join(' ')}: it lists a kind`);
  const query = new URLSearchParams({
    ...(selector !== undefined && { labelSelector: selector }),
    ...(fields !== undefined && { fieldSelector: fields }),
  });
  const answer = await ask<{ apiVersion: string; kind: string; items: KubernetesObject[] }>(
    `${pathOf(kind, namespace)}?${query.toString()}`,
  );
  const common = { apiVersion: answer.apiVersion, kind: answer.kind.replace(/List$/, '') };
  return answer.items.map((item) => ({ ...common, ...item }));
};

interface Words {
  /** The plural of the kind. */
  kind: string;
  name?: string | undefined;
  namespace?: string | undefined;
  selector?: string | undefined;
  fields?: string | undefined;
}

function readWords(words: string[]): Words {
  const { positionals, values } = parseArgs({
    args: words,
    allowPositionals: true,
    options: {
      namespace: { type: 'string', short: 'n' },
      selector: { type: 'string', short: 'l' },
      'field-selector': { type: 'string' },
    },
  });
  const [first = '', second] = positionals;
  const [kind = '', name = second] = first.split('/');
  return { kind: pluralOf(kind), name, ...values, fields: values['field-selector'] };
}

function pluralOf(word: string): string {
  const [kind = ''] = word.split('.');
  const plural = kind.endsWith('s') ? kind : `${kind}s`;
  if (APIS[plural] === undefined) throw new Error(`${word}: add this kind to APIS in read-objects.ts`);
  return plural;
}

const pathOf = (kind: string, namespace?: string, name?: string): string =>
  [
    APIS[kind],
    ...(namespace === undefined ? [] : ['namespaces', namespace]),
    kind,
    ...(name === undefined ? [] : [name]),
  ].join('/');

async function ask<Answer>(path: string): Promise<Answer> {
  const { server, requests, ...identity } = await (connection ??= kubeconfigConnection(undefined));
  const { statusCode, body } = await request(`${server}/${path}`, {
    dispatcher: requests,
    headers: { ...(await identity.authorization()), accept: 'application/json' },
  });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`GET /${path}: ${statusCode} ${text}`);
  const answer: Answer = JSON.parse(text);
  return answer;
}
