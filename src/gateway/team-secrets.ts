import type { V1Secret } from '@kubernetes/client-node';
import type { ApiClient } from '#adapters/kubernetes/api/client.ts';
import { KINDS, type Wire } from '#adapters/kubernetes/api/kinds.ts';
import { LABEL } from '#adapters/kubernetes/manifests/labels.ts';
import type { SecretsAnswer, TeamSecrets, Unavailable } from '#flows/builds/session-ports.ts';
import { unavailable } from './unavailable.ts';

const NAME = /^(?<secret>[a-z0-9][a-z0-9.-]{0,252})\/(?<key>[\w.-]{1,253})$/;

/** Only Secrets with the label `millrace.dev/usable=true`: a pipeline's author cannot reach for others. */
export function teamSecrets(client: Pick<ApiClient, 'get'>): TeamSecrets {
  return {
    async read(namespace, names) {
      const wanted = names.map(parse);
      const asked = new Set(wanted.map(({ secret }) => secret).filter((secret) => secret !== ''));
      const secrets = new Map<string, Wire<V1Secret>>();
      const failures = await Promise.all(
        [...asked].map(async (name): Promise<Unavailable | undefined> => {
          const answer = await client.get(KINDS.secrets, { namespace, name });
          if (answer.ok) secrets.set(name, answer.value);
          else if (answer.status !== 404) return unavailable(`reading Secret ${namespace}/${name}`, answer);
          return undefined;
        }),
      );
      return failures.find((failure) => failure !== undefined) ?? valuesOf(wanted, secrets);
    },
  };
}

interface Wanted {
  name: string;
  secret: string;
  key: string;
}

function valuesOf(wanted: Wanted[], secrets: ReadonlyMap<string, Wire<V1Secret>>): SecretsAnswer {
  const values = new Map<string, string>();
  const reasons: string[] = [];
  for (const { name, secret, key } of wanted) {
    const found = valueOf(secrets.get(secret), key);
    if ('value' in found) values.set(name, found.value);
    else reasons.push(`The secret ${name} has no value: ${found.fault}.`);
  }
  return reasons.length === 0 ? { answer: 'read', values } : { answer: 'missing', reasons };
}

/** Empty parts where the name is not of the form. */
function parse(name: string): Wanted {
  const { secret = '', key = '' } = NAME.exec(name)?.groups ?? {};
  return { name, secret, key };
}

function valueOf(secret: Wire<V1Secret> | undefined, key: string): { value: string } | { fault: string } {
  if (secret === undefined) return { fault: 'there is no such Secret in the namespace of the team' };
  if (secret.metadata?.labels?.[LABEL.usable] !== 'true')
    return { fault: `it lacks the label ${LABEL.usable}=true` };
  const data = secret.data ?? {};
  if (!Object.hasOwn(data, key)) return { fault: 'the Secret has no such key' };
  return { value: Buffer.from(data[key] ?? '', 'base64').toString('utf8') };
}
