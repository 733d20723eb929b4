import type { Conversion } from './conversion.ts';
import { hclAttribute, quoteText, type HclNode } from './write-hcl.ts';
import { templateParts, writeValue } from './write-value.ts';
import { plainValue, textOfScalar, walkYaml, yamlAt, type YamlMap, type YamlTree } from './yaml-tree.ts';

/** A get or put of a resource, anywhere in the jobs. */
export interface ResourceUse {
  kind: 'get' | 'put';
  name: string;
  params: YamlMap | undefined;
}

/** Finds all gets and puts, by the name of the resource in Concourse. */
export function findUses(jobs: YamlTree | undefined): Map<string, ResourceUse[]> {
  const uses = new Map<string, ResourceUse[]>();
  if (jobs === undefined) return uses;
  walkYaml(jobs, (tree) => {
    for (const kind of ['get', 'put'] as const) {
      const name = textOfScalar(yamlAt(tree, kind));
      if (name === undefined) continue;
      const resource = textOfScalar(yamlAt(tree, 'resource')) ?? name;
      const params = yamlAt(tree, 'params');
      const use: ResourceUse = { kind, name, params: params?.kind === 'map' ? params : undefined };
      uses.set(resource, [...(uses.get(resource) ?? []), use]);
    }
  });
  return uses;
}

/**
 * Hosts whose SSH host keys come with Millrace. For other hosts, the built-in git needs `known_hosts`. No
 * Concourse pipeline has them, because the git resource of Concourse does not check host keys.
 */
const HOSTS_WITH_KEYS = ['github.com', 'gitlab.com'];

/** User names that forges accept beside a token. */
const TOKEN_USERS = ['oauth2', 'x-access-token'];

/** For each field of the source: whether the built-in git can do the same as Concourse with this value. */
const COUNTERPARTS: Readonly<Record<string, (value: YamlTree, source: YamlMap) => boolean>> = {
  uri: (value) =>
    /^(?:https?:\/\/[^@\s]+|ssh:\/\/[^:@\s]+@[^:@\s]+|[^:@/\s]+@[^:@/\s]+:[^:@\s]+)$/.test(
      textOfScalar(value) ?? '',
    ),
  branch: (value) => isText(value),
  private_key: (value, source) => isText(value) && HOSTS_WITH_KEYS.includes(sshHost(source) ?? ''),
  username: (value, source) =>
    TOKEN_USERS.includes(textOfScalar(value) ?? '') && yamlAt(source, 'password') !== undefined,
  password: (value, source) => isText(value) && yamlAt(source, 'username') !== undefined && isHttps(source),
  paths: isListOfPaths,
  ignore_paths: isListOfPaths,
  disable_ci_skip: (value) => value.kind === 'scalar' && typeof value.value === 'boolean',
};

const isText = (value: YamlTree): boolean => value.kind === 'scalar' && typeof value.value === 'string';

const uriOf = (source: YamlMap): string => textOfScalar(yamlAt(source, 'uri')) ?? '';

const isHttps = (source: YamlMap): boolean => uriOf(source).startsWith('https://');

/** The host of the repository, if its URI is for SSH, otherwise undefined. */
function sshHost(source: YamlMap): string | undefined {
  const uri = uriOf(source);
  const address = uri.startsWith('ssh://') ? uri.slice('ssh://'.length) : uri;
  if (address.includes('://') || !address.includes('@')) return undefined;
  return address.slice(address.indexOf('@') + 1).split(/[:/]/)[0];
}

/**
 * Whether the built-in git can take the list. Its parameter is one text, in which commas and line ends
 * separate the paths.
 */
function isListOfPaths(value: YamlTree): boolean {
  return (
    value.kind === 'list' &&
    value.items.length > 0 &&
    value.items.every((item) => isText(item) && !/[,\n]|^:/.test(textOfScalar(item) ?? ''))
  );
}

/**
 * Whether the built-in git can replace the git resource: the source has a URI, and a private key exactly if
 * the URI is for SSH; every field of the source and every parameter of a get or put has a counterpart; all
 * gets have the same parameters; and all use the same name for the folder of the clone.
 */
export function isLikeBuiltInGit(
  name: string,
  source: YamlMap | undefined,
  uses: readonly ResourceUse[],
): boolean {
  if (source === undefined || !source.entries.every(({ key, value }) => hasCounterpart(key, value, source)))
    return false;
  const usesSsh = sshHost(source) !== undefined;
  if (yamlAt(source, 'uri') === undefined || usesSsh !== (yamlAt(source, 'private_key') !== undefined))
    return false;
  const gets = uses.filter(({ kind }) => kind === 'get');
  const folder = folderOf(name, uses);
  const haveSameFolder = new Set(gets.map((get) => get.name)).size <= 1 && isFolder(folder);
  const haveSameParams = new Set(gets.map(paramsOfGet)).size <= 1;
  const arePlain = uses.every((use) => (use.kind === 'get' ? isPlainGet(use) : isPlainPut(use, folder)));
  return haveSameFolder && haveSameParams && arePlain;
}

const hasCounterpart = (key: string, value: YamlTree, source: YamlMap): boolean =>
  Object.hasOwn(COUNTERPARTS, key) && COUNTERPARTS[key]?.(value, source) === true;

/** The folder of the clone: the name of the first get, otherwise the name of the resource. */
const folderOf = (name: string, uses: readonly ResourceUse[]): string =>
  uses.find(({ kind }) => kind === 'get')?.name ?? name;

const isFolder = (name: string): boolean => /^[A-Za-z0-9][A-Za-z0-9_.-]*$/.test(name);

const paramsOfGet = ({ params }: ResourceUse): string => JSON.stringify(params && plainValue(params));

/** Whether the built-in git has counterparts for all parameters of the get. */
const isPlainGet = ({ params }: ResourceUse): boolean =>
  params === undefined ||
  params.entries.every(({ key, value }) => {
    if (value.kind !== 'scalar') return false;
    if (key === 'depth') return typeof value.value === 'number' && value.value >= 1;
    return key === 'submodules' && ['all', 'none'].includes(String(value.value));
  });

/** Whether the put only pushes the folder of the clone. */
const isPlainPut = ({ params }: ResourceUse, folder: string): boolean =>
  params?.entries.length === 1 && textOfScalar(yamlAt(params, 'repository')) === folder;

/** Writes the parameters of the built-in git. */
export function writeGitParams(
  name: string,
  { source, uses }: { source: YamlMap; uses: readonly ResourceUse[] },
  conversion: Conversion,
): HclNode[] {
  const nodes: HclNode[] = [hclAttribute('name', quoteText([folderOf(name, uses)]))];
  const value = (key: string): YamlTree | undefined => yamlAt(source, key);
  const add = (parameter: string, tree: YamlTree | undefined): void => {
    if (tree) nodes.push(hclAttribute(parameter, writeValue(tree, 'secret', conversion)));
  };
  add('url', value('uri'));
  add('branch', value('branch'));
  add('private_key', value('private_key'));
  add('token', value('password'));
  for (const key of ['paths', 'ignore_paths']) {
    const paths = value(key);
    if (paths?.kind !== 'list') continue;
    const text = paths.items.map((item) => textOfScalar(item) ?? '').join(', ');
    nodes.push(hclAttribute(key, quoteText(templateParts(text, paths.span, 'secret', conversion))));
  }
  if (plainOf(value('disable_ci_skip')) === true) nodes.push(hclAttribute('skip_ci', 'false'));
  const params = uses.find(({ kind }) => kind === 'get')?.params;
  add('depth', yamlAt(params, 'depth'));
  // Concourse fetches submodules by default, Millrace does not.
  if (textOfScalar(yamlAt(params, 'submodules')) !== 'none') nodes.push(hclAttribute('submodules', 'true'));
  return nodes;
}

const plainOf = (tree: YamlTree | undefined): unknown => tree && plainValue(tree);
