import { isScalar, Scalar } from 'yaml';
import { defined } from '#defined';
import type { GivenVariables } from '#domain/pipeline/variables.ts';
import { checkPipeline, kindOf, textOfVariable } from './check-pipeline.ts';
import { inlineText, literalBlock, type EmbeddedText } from './embedded-text.ts';
import type { Finding, Place } from './finding.ts';
import {
  fieldsOf,
  manifestError,
  nodeAt,
  parseManifests,
  placeAt,
  placeOfKey,
  spotAt,
  type Fields,
  type Manifest,
} from './parse-manifests.ts';

/** The text of a pipeline and the other settings of its manifest. */
export interface PipelineText {
  file: string;
  /** The text of the file, to quote lines of it. */
  source: string;
  text: EmbeddedText;
  /**
   * `<namespace>/<name>` of a manifest, or `<name>` if it has no namespace. Absent for a file of HCL, and for
   * a manifest with neither.
   */
  name?: string;
  variables: GivenVariables;
  /**
   * The names of the objects in `varsFrom` that were not read: of every Secret, and of each ConfigMap that is
   * not in the files. These objects may set further variables.
   */
  unreadSources: { secrets: string[]; configMaps: string[] };
  /** What the manifest pins, and where. */
  pins: { resource: string; at: { file: string; place?: Place } }[];
  /** Errors of the manifest outside its text. */
  faults: Finding[];
  /** Where the manifest gives a value to a variable. */
  placeOfVariable?: (name: string) => { file: string; place?: Place } | undefined;
}

export interface Manifests {
  pipelines: PipelineText[];
  findings: Finding[];
}

/** The Pipelines in files of manifests. A text may be in a ConfigMap of the same files. */
export function readManifests(files: readonly { file: string; source: string }[]): Manifests {
  const findings: Finding[] = [];
  const manifests = files.flatMap(({ file, source }) => parseManifests(file, source, findings));
  const pipelines = manifests.filter(isPipeline).flatMap((manifest) => {
    const result = readPipeline(manifest, manifests);
    if (!Array.isArray(result)) return [result];
    findings.push(...result);
    return [];
  });
  const empty = files.filter(
    ({ file }) => !manifests.some((manifest) => manifest.file === file && isPipeline(manifest)),
  );
  for (const { file } of empty) {
    if (findings.some((finding) => finding.file === file)) continue;
    const message = 'the file has no Pipeline';
    const help = 'Nothing was checked. Remove the file from the command.';
    findings.push({ severity: 'warning', code: 'no-pipeline', message, help, file });
  }
  return { pipelines, findings };
}

const isPipeline = ({ fields }: Manifest): boolean =>
  fields['kind'] === 'Pipeline' && String(fields['apiVersion']).startsWith('millrace.dev/');

function readPipeline(manifest: Manifest, allManifests: readonly Manifest[]): PipelineText | Finding[] {
  const { fields } = manifest;
  const metadata = fieldsOf(fields['metadata']);
  const spec = fieldsOf(fields['spec']);
  const name = [metadata['namespace'], metadata['name']].filter((part) => typeof part === 'string').join('/');
  const keyRef = fieldsOf(fieldsOf(spec['configFrom'])['configMapKeyRef']);
  const located =
    spec['config'] === undefined
      ? embeddedTextAt(findConfigMap(keyRef['name'], manifest, allManifests), ['data', String(keyRef['key'])])
      : embeddedTextAt(manifest, ['spec', 'config']);
  const faults = checkPipeline(manifest);
  if (!located) return [...faults, missingTextError(manifest, name, keyRef)];
  const sources = sourcesOf(manifest, allManifests);
  return {
    ...located,
    ...(name !== '' && { name }),
    variables: { ...sources.variables, ...plainVariables(fieldsOf(spec['vars'])) },
    unreadSources: sources.unreadSources,
    pins: pinsOf(manifest),
    faults,
    placeOfVariable: (variable) =>
      Object.hasOwn(fieldsOf(spec['vars']), variable)
        ? placeIn(manifest, ['spec', 'vars', variable])
        : sources.placeOfVariable(variable),
  };
}

function pinsOf(manifest: Manifest): PipelineText['pins'] {
  const pins: unknown = fieldsOf(manifest.fields['spec'])['pins'];
  return (Array.isArray(pins) ? pins : []).flatMap((pin: unknown, index) => {
    const { resource } = fieldsOf(pin);
    if (typeof resource !== 'string') return [];
    const place = placeAt(manifest, ['spec', 'pins', index, 'resource']);
    return [{ resource, at: { file: manifest.file, ...defined({ place }) } }];
  });
}

function missingTextError(manifest: Manifest, name: string, keyRef: Fields): Finding {
  const { file, fields } = manifest;
  const { config } = fieldsOf(fields['spec']);
  const pipeline = name === '' ? 'the Pipeline' : `the Pipeline ${name}`;
  const advice = 'Give it spec.config: | with the pipeline in HCL.';
  if (config !== undefined) {
    const message = `spec.config of ${pipeline} is ${kindOf(config)}, not a string`;
    return manifestError(file, message, advice, placeAt(manifest, ['spec', 'config']));
  }
  if (typeof keyRef['name'] !== 'string') {
    return manifestError(file, `${pipeline} has no text`, advice, placeOfKey(manifest, ['spec']));
  }
  const location = `the key ${String(keyRef['key'])} of the ConfigMap ${keyRef['name']}`;
  const help = 'Name the file with the ConfigMap too, or check the HCL text itself.';
  const message = `the text of ${pipeline} is in ${location}, which is not in these files`;
  return manifestError(
    file,
    message,
    help,
    placeAt(manifest, ['spec', 'configFrom', 'configMapKeyRef', 'name']),
  );
}

function placeIn(manifest: Manifest, path: readonly string[]): { file: string; place?: Place } {
  const place = placeOfKey(manifest, path);
  return { file: manifest.file, ...defined({ place }) };
}

function embeddedTextAt(
  manifest: Manifest | undefined,
  path: readonly string[],
): Pick<PipelineText, 'file' | 'source' | 'text'> | undefined {
  if (!manifest) return undefined;
  const { file, source } = manifest;
  const scalar = nodeAt(manifest, path);
  if (!isScalar(scalar) || typeof scalar.value !== 'string' || !scalar.range) return undefined;
  const at = spotAt(manifest, scalar.range[0]);
  // The text begins on the line after `|`.
  const block = { source, start: at.line, text: scalar.value };
  const isBlock = scalar.type === Scalar.BLOCK_LITERAL;
  return { file, source, text: isBlock ? literalBlock(block) : inlineText(scalar.value, at) };
}

/**
 * The variables that `varsFrom` takes from ConfigMaps in the files, and the names of the Secrets and
 * ConfigMaps that were not read.
 */
function sourcesOf(
  manifest: Manifest,
  allManifests: readonly Manifest[],
): Pick<PipelineText, 'variables' | 'unreadSources'> & Required<Pick<PipelineText, 'placeOfVariable'>> {
  const maps: Manifest[] = [];
  const variables: Record<string, GivenVariables[string]> = {};
  const unread: PipelineText['unreadSources'] = { secrets: [], configMaps: [] };
  const list: unknown = fieldsOf(manifest.fields['spec'])['varsFrom'];
  for (const source of Array.isArray(list) ? list.map(fieldsOf) : []) {
    const secret = fieldsOf(source['secretRef'])['name'];
    if (typeof secret === 'string') unread.secrets.push(secret);
    const name = fieldsOf(source['configMapRef'])['name'];
    if (typeof name !== 'string') continue;
    const map = findConfigMap(name, manifest, allManifests);
    if (map) maps.push(map);
    else unread.configMaps.push(name);
  }
  for (const { fields } of maps) Object.assign(variables, plainVariables(fieldsOf(fields['data'])));
  return {
    variables,
    unreadSources: unread,
    placeOfVariable(variable) {
      const definingMap = maps.findLast(({ fields }) => Object.hasOwn(fieldsOf(fields['data']), variable));
      return definingMap && placeIn(definingMap, ['data', variable]);
    },
  };
}

const plainVariables = (fields: Fields): GivenVariables =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, { value: textOfVariable(value) }]));

/** Finds a ConfigMap of the same namespace. A manifest without a namespace matches any. */
function findConfigMap(
  name: unknown,
  { fields }: Manifest,
  allManifests: readonly Manifest[],
): Manifest | undefined {
  const namespace = fieldsOf(fields['metadata'])['namespace'];
  return allManifests.find((candidate) => {
    const metadata = fieldsOf(candidate.fields['metadata']);
    const isSameNamespace = namespace === undefined || [undefined, namespace].includes(metadata['namespace']);
    return candidate.fields['kind'] === 'ConfigMap' && metadata['name'] === name && isSameNamespace;
  });
}
