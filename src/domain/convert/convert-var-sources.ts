import type { Conversion } from './conversion.ts';
import { hclAttribute, hclBlock, quoteText, type HclNode } from './write-hcl.ts';
import { writeValue } from './write-value.ts';
import type { YamlFields } from './yaml-fields.ts';
import { plainValue, textOfScalar, yamlAt, type YamlMap } from './yaml-tree.ts';

/** Converts sources of variables to secret types or fixed values. */
export function convertVarSources(top: YamlFields, conversion: Conversion): HclNode[] {
  const nodes: HclNode[] = [];
  for (const source of top.maps('var_sources', 'a source of variables')) {
    const name = source.needed('name');
    const type = source.needed('type');
    const config = source.map('config');
    source.end(nodes);
    if (name === undefined || type === undefined) continue;
    if (type === 'vault' && config) nodes.push(...convertVault(name, config, conversion));
    else if (type === 'dummy') convertDummy(name, config, conversion);
    else {
      const text = `the source ${name} of the type ${type} is left out: its secrets become Secrets of Kubernetes`;
      conversion.leaveOut(nodes, source.span, text);
    }
  }
  return nodes;
}

function convertDummy(name: string, config: YamlMap | undefined, conversion: Conversion): void {
  const vars = yamlAt(config, 'vars');
  const entries = vars?.kind === 'map' ? vars.entries : [];
  const values = new Map(entries.map(({ key, value }) => [key, plainValue(value)] as const));
  conversion.variables.sources.set(name, { values });
}

/** The attributes of the secret type vault, by the field of the config in Concourse. */
const VAULT_FIELDS: ReadonlyMap<string, string> = new Map([
  ['url', 'address'],
  ['namespace', 'namespace'],
  ['client_token', 'token'],
]);

/** The path below which Concourse looks for secrets if there is no `path_prefix`. */
const DEFAULT_PREFIX = '/concourse';

function convertVault(name: string, config: YamlMap, conversion: Conversion): HclNode[] {
  const label =
    name === 'vault'
      ? 'vault'
      : `vault-${Array.from(name, (letter) => (/[A-Za-z0-9-]/.test(letter) ? letter : '-')).join('')}`;
  const body: HclNode[] = [hclAttribute('source', quoteText(['svc://vault']))];
  for (const { key, keySpan, value } of config.entries) {
    const counterpart = VAULT_FIELDS.get(key);
    if (counterpart !== undefined)
      body.push(hclAttribute(counterpart, writeValue(value, 'secret', conversion)));
    else if (key !== 'path_prefix')
      conversion.leaveOut(body, keySpan, `${key} has no counterpart: see the login of the secret type vault`);
  }
  const prefix = textOfScalar(yamlAt(config, 'path_prefix')) ?? DEFAULT_PREFIX;
  const mount = prefix
    .split('/')
    .filter((part) => part !== '')
    .join('/');
  conversion.variables.sources.set(name, { secretType: label, prefix: `${mount}/` });
  return [hclBlock('secret_type', [label], body)];
}
