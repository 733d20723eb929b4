import type { Conversion } from './conversion.ts';
import { replaceLetters, unusedName } from './names.ts';
import { hclAttribute, hclBlock, quoteText, type HclNode } from './write-hcl.ts';
import { writeValue } from './write-value.ts';
import type { YamlFields } from './yaml-fields.ts';
import { entryOf, plainValue, textOfScalar, yamlAt, type YamlEntry, type YamlMap } from './yaml-tree.ts';

/** Converts `var_sources`: a vault becomes a secret type, and the values of a `dummy` become fixed values. */
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

/** The attributes of the secret type vault, by the field of the Concourse config that they replace. */
const VAULT_FIELDS: ReadonlyMap<string, string> = new Map([
  ['url', 'address'],
  ['namespace', 'namespace'],
  ['client_token', 'token'],
  ['ca_cert', 'ca'],
]);

/** The login parameters of each Vault backend that the secret type vault supports, by the backend. */
const LOGINS: ReadonlyMap<string, readonly string[]> = new Map([
  ['approle', ['role_id', 'secret_id']],
  ['jwt', ['role', 'jwt']],
]);

/** The path below which Concourse looks for secrets by default. */
const DEFAULT_PREFIX = '/concourse';

function convertVault(name: string, config: YamlMap, conversion: Conversion): HclNode[] {
  const taken = new Set(
    Array.from(conversion.variables.sources.values(), ({ secretType = '' }) => secretType),
  );
  const label = unusedName(name === 'vault' ? name : `vault-${replaceLetters(name, /[A-Za-z0-9-]/)}`, taken);
  const body: HclNode[] = [hclAttribute('source', quoteText(['svc://vault']))];
  for (const { key, keySpan, value } of config.entries) {
    const counterpart = VAULT_FIELDS.get(key);
    if (counterpart !== undefined)
      body.push(hclAttribute(counterpart, writeValue(value, 'secret', conversion)));
    else if (!['path_prefix', 'auth_backend', 'auth_params'].includes(key))
      conversion.leaveOut(body, keySpan, `${key} has no counterpart in the secret type vault`);
  }
  writeLogin(config, body, conversion);
  const prefix = textOfScalar(yamlAt(config, 'path_prefix')) ?? DEFAULT_PREFIX;
  const mount = prefix
    .split('/')
    .filter((part) => part !== '')
    .join('/');
  conversion.variables.sources.set(name, { secretType: label, prefix: `${mount}/` });
  return [hclBlock('secret_type', [label], body)];
}

/**
 * Writes the parameters by which Millrace logs in to Vault. If the login has no counterpart, writes a token
 * that people have to replace.
 */
function writeLogin(config: YamlMap, body: HclNode[], conversion: Conversion): void {
  const login = findLogin(config);
  for (const { key, keySpan, value } of loginParams(config))
    if (login.includes(key)) body.push(hclAttribute(key, writeValue(value, 'secret', conversion)));
    else conversion.leaveOut(body, keySpan, `${key} has no counterpart: ${SEE_LOGIN}`);
  if (login.length > 0) return;
  const backend = entryOf(config, 'auth_backend');
  if (backend) conversion.leaveOut(body, backend.keySpan, `auth_backend has no counterpart: ${SEE_LOGIN}`);
  if (entryOf(config, 'client_token')) return;
  const text = 'the login of Vault is missing: write token, or role_id and secret_id, or role and jwt';
  conversion.leaveOut(body, config.span, text);
  body.push(hclAttribute('token', quoteText(['change-me'])));
}

const SEE_LOGIN = 'see the login of the secret type vault';

/**
 * The names of the parameters for the login. Empty: the backend is not supported, a parameter is missing, or
 * there is a token instead.
 */
function findLogin(config: YamlMap): readonly string[] {
  const names = LOGINS.get(textOfScalar(yamlAt(config, 'auth_backend')) ?? '') ?? [];
  const given = new Set(loginParams(config).map(({ key }) => key));
  return entryOf(config, 'client_token') === undefined && names.every((name) => given.has(name)) ? names : [];
}

function loginParams(config: YamlMap): YamlEntry[] {
  const params = yamlAt(config, 'auth_params');
  return params?.kind === 'map' ? params.entries : [];
}
