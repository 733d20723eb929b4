import type { V1Secret } from '@kubernetes/client-node';
import { orAbsent } from '#adapters/kubernetes/api/answer.ts';
import type { ApiClient } from '#adapters/kubernetes/api/client.ts';
import { KINDS } from '#adapters/kubernetes/api/kinds.ts';
import type { Wire } from '#adapters/kubernetes/api/kinds.ts';
import { LABEL } from '#adapters/kubernetes/manifests/labels.ts';

interface SecretsRead {
  /** By the name of the placeholder: `<secret>/<key>`. */
  values: Map<string, string>;
  /** A sentence for each name that has no value. */
  missing: string[];
}

/** Values of Secrets in the namespace of a team; nothing of them is kept. */
export interface TeamSecrets {
  read(namespace: string, names: string[]): Promise<SecretsRead>;
}

const NAME = /^(?<secret>[a-z0-9][a-z0-9.-]{0,252})\/(?<key>[\w.-]{1,253})$/;

/** Only Secrets with the label `millrace.dev/usable=true`: a pipeline's author cannot reach for others. */
export function teamSecrets(client: Pick<ApiClient, 'get'>): TeamSecrets {
  return {
    async read(namespace, names) {
      const wanted = names.map(parse);
      const secrets = new Map<string, Wire<V1Secret> | undefined>();
      const asked = new Set(wanted.map(({ secret }) => secret).filter((secret) => secret !== ''));
      await Promise.all(
        [...asked].map(async (name) => {
          const answer = await client.get(KINDS.secrets, { namespace, name });
          secrets.set(name, orAbsent(answer, `reading Secret ${namespace}/${name}`));
        }),
      );
      const read: SecretsRead = { values: new Map(), missing: [] };
      for (const { name, secret, key } of wanted) {
        const found = valueOf(secrets.get(secret), key);
        if ('value' in found) read.values.set(name, found.value);
        else read.missing.push(`The secret ${name} has no value: ${found.fault}.`);
      }
      return read;
    },
  };
}

/** Empty parts where the name is not of the form. */
function parse(name: string): { name: string; secret: string; key: string } {
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
