import { isScalar, Scalar } from 'yaml';
import { defined } from '#defined';
import type { GivenVariables } from '#domain/pipeline/variables.ts';
import { checkPipeline, kindOf, textOfVariable } from './check-pipeline.ts';
import { elsewhere, literalBlock, type EmbeddedText } from './embedded-text.ts';
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
  /** `<namespace>/<name>` of a manifest. */
  name?: string;
  given: GivenVariables;
  /** Secrets and ConfigMaps with further variables, which are not in the files. */
  elsewhere: { secrets: string[]; configMaps: string[] };
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
    const read = readPipeline(manifest, manifests);
    if (!Array.isArray(read)) return [read];
    findings.push(...read);
    return [];
  });
  const empty = files.filter(({ file }) => !manifests.some((one) => one.file === file && isPipeline(one)));
  for (const { file } of empty) {
    if (findings.some((finding) => finding.file === file)) continue;
    const [message, help] = [
      'the file has no Pipeline',
      'Nothing was checked. Remove the file from the command.',
    ];
    findings.push({ severity: 'warning', code: 'no-pipeline', message, help, file });
  }
  return { pipelines, findings };
}

const isPipeline = ({ fields }: Manifest): boolean =>
  fields['kind'] === 'Pipeline' && String(fields['apiVersion']).startsWith('millrace.dev/');

function readPipeline(manifest: Manifest, all: readonly Manifest[]): PipelineText | Finding[] {
  const { fields } = manifest;
  const metadata = fieldsOf(fields['metadata']);
  const spec = fieldsOf(fields['spec']);
  const name = [metadata['namespace'], metadata['name']].filter((part) => typeof part === 'string').join('/');
  const key = fieldsOf(fieldsOf(spec['configFrom'])['configMapKeyRef']);
  const found =
    spec['config'] === undefined
      ? textIn(configMap(key['name'], manifest, all), ['data', String(key['key'])])
      : textIn(manifest, ['spec', 'config']);
  const faults = checkPipeline(manifest);
  if (!found) return [...faults, withoutText(manifest, name, key)];
  const sources = sourcesOf(manifest, all);
  return {
    ...found,
    ...(name !== '' && { name }),
    given: { ...sources.given, ...plainVariables(fieldsOf(spec['vars'])) },
    elsewhere: sources.elsewhere,
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

function withoutText(manifest: Manifest, name: string, key: Fields): Finding {
  const { file, fields } = manifest;
  const { config } = fieldsOf(fields['spec']);
  const pipeline = name === '' ? 'the Pipeline' : `the Pipeline ${name}`;
  const advice = 'Give it spec.config: | with the pipeline in HCL.';
  if (config !== undefined) {
    const message = `spec.config of ${pipeline} is ${kindOf(config)}, not a text`;
    return manifestError(file, message, advice, placeAt(manifest, ['spec', 'config']));
  }
  if (typeof key['name'] !== 'string') {
    return manifestError(file, `${pipeline} has no text`, advice, placeOfKey(manifest, ['spec']));
  }
  const where = `the key ${String(key['key'])} of the ConfigMap ${key['name']}`;
  const help = 'Name the file with the ConfigMap too, or check the HCL text itself.';
  const message = `the text of ${pipeline} is in ${where}, which is not in these files`;
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

function textIn(
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
  return { file, source, text: isBlock ? literalBlock(block) : elsewhere(scalar.value, at) };
}

function sourcesOf(
  manifest: Manifest,
  all: readonly Manifest[],
): Pick<PipelineText, 'given' | 'elsewhere'> & Required<Pick<PipelineText, 'placeOfVariable'>> {
  const maps: Manifest[] = [];
  const given: Record<string, GivenVariables[string]> = {};
  const unknown: PipelineText['elsewhere'] = { secrets: [], configMaps: [] };
  const list: unknown = fieldsOf(manifest.fields['spec'])['varsFrom'];
  for (const source of Array.isArray(list) ? list.map(fieldsOf) : []) {
    const secret = fieldsOf(source['secretRef'])['name'];
    if (typeof secret === 'string') unknown.secrets.push(secret);
    const name = fieldsOf(source['configMapRef'])['name'];
    if (typeof name !== 'string') continue;
    const found = configMap(name, manifest, all);
    if (found) maps.push(found);
    else unknown.configMaps.push(name);
  }
  for (const { fields } of maps) Object.assign(given, plainVariables(fieldsOf(fields['data'])));
  return {
    given,
    elsewhere: unknown,
    placeOfVariable(variable) {
      const giver = maps.findLast(({ fields }) => Object.hasOwn(fieldsOf(fields['data']), variable));
      return giver && placeIn(giver, ['data', variable]);
    },
  };
}

const plainVariables = (fields: Fields): GivenVariables =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, { value: textOfVariable(value) }]));

/** Finds a ConfigMap of the same namespace. A manifest without a namespace matches any. */
function configMap(name: unknown, { fields }: Manifest, all: readonly Manifest[]): Manifest | undefined {
  const namespace = fieldsOf(fields['metadata'])['namespace'];
  return all.find((other) => {
    const metadata = fieldsOf(other.fields['metadata']);
    const near = namespace === undefined || [undefined, namespace].includes(metadata['namespace']);
    return other.fields['kind'] === 'ConfigMap' && metadata['name'] === name && near;
  });
}
