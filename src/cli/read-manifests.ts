import { isAlias, isScalar, LineCounter, parseAllDocuments, Scalar } from 'yaml';
import type { Document } from 'yaml';
import type { GivenVariables } from '#domain/pipeline/variables.ts';
import type { EmbeddedText } from './embedded-text.ts';
import { elsewhere, literalBlock } from './embedded-text.ts';
import type { Finding } from './finding.ts';

/** A pipeline to be read, with what its manifest says besides. */
export interface PipelineText {
  file: string;
  /** What the file holds, for showing lines of it. */
  source: string;
  text: EmbeddedText;
  /** `<namespace>/<name>` of a manifest. */
  name?: string;
  given: GivenVariables;
  /** Sources of further variables that cannot be looked into here. */
  elsewhere: { secrets: string[]; configMaps: string[] };
}

type Fields = Readonly<Record<string, unknown>>;

/** An object of a file of manifests. */
interface Manifest {
  file: string;
  source: string;
  document: Document.Parsed;
  lines: LineCounter;
  fields: Fields;
}

export interface Manifests {
  pipelines: PipelineText[];
  findings: Finding[];
}

/** The Pipelines of files of manifests, their texts also from ConfigMaps that stand in the same files. */
export function readManifests(files: readonly { file: string; source: string }[]): Manifests {
  const findings: Finding[] = [];
  const manifests = files.flatMap(({ file, source }) => parseFile(file, source, findings));
  const pipelines = manifests.filter(isPipeline).flatMap((manifest) => {
    const read = readPipeline(manifest, manifests);
    if ('text' in read) return [read];
    findings.push(read);
    return [];
  });
  const empty = files.filter(({ file }) => !manifests.some((one) => one.file === file && isPipeline(one)));
  for (const { file } of empty) {
    if (findings.some((finding) => finding.file === file)) continue;
    const [message, help] = ['there is no Pipeline in the file', 'Nothing was checked; leave the file out.'];
    findings.push({ severity: 'warning', code: 'no-pipeline', message, help, file });
  }
  return { pipelines, findings };
}

function parseFile(file: string, source: string, findings: Finding[]): Manifest[] {
  const lines = new LineCounter();
  return parseAllDocuments(source, { lineCounter: lines, prettyErrors: false }).flatMap((document) => {
    // Those that follow mostly come of the first.
    for (const { message, pos } of document.errors.slice(0, 1)) {
      const [start, end] = pos.map((offset) => spotOf(lines, offset));
      const [text = ''] = message.split('\n');
      findings.push({
        ...fault(file, `this is not YAML: ${text}`, 'Correct the text at this place.'),
        ...(start && end && { place: { start, end } }),
      });
    }
    if (document.errors.length > 0) return [];
    return [{ file, source, document, lines, fields: fieldsOf(toPlain(document)) }];
  });
}

/** Aliases may stand for more than any computer holds; then the document is as good as empty. */
function toPlain(document: Document.Parsed): unknown {
  try {
    return document.toJS({ maxAliasCount: 1000 });
  } catch {
    return undefined;
  }
}

const isPipeline = ({ fields }: Manifest): boolean =>
  fields['kind'] === 'Pipeline' && String(fields['apiVersion']).startsWith('millrace.dev/');

function readPipeline(manifest: Manifest, all: readonly Manifest[]): PipelineText | Finding {
  const { file, fields } = manifest;
  const metadata = fieldsOf(fields['metadata']);
  const spec = fieldsOf(fields['spec']);
  const name = [metadata['namespace'], metadata['name']].filter((part) => typeof part === 'string').join('/');
  const key = fieldsOf(fieldsOf(spec['configFrom'])['configMapKeyRef']);
  const found =
    spec['config'] === undefined
      ? textIn(configMap(key['name'], manifest, all), ['data', String(key['key'])])
      : textIn(manifest, ['spec', 'config']);
  if (!found) return fault(file, ...withoutText(name, key));
  const sources = sourcesOf(manifest, all);
  return {
    ...found,
    name,
    given: { ...sources.given, ...plainVariables(fieldsOf(spec['vars'])) },
    elsewhere: sources.elsewhere,
  };
}

function withoutText(name: string, key: Fields): [message: string, help: string] {
  if (typeof key['name'] !== 'string') {
    return [`the Pipeline ${name} has no text`, 'Give it spec.config: | with the pipeline in HCL.'];
  }
  const place = `the key ${String(key['key'])} of the ConfigMap ${key['name']}`;
  const help = 'Name the file with the ConfigMap too, or check the HCL text itself.';
  return [`the text of the Pipeline ${name} is in ${place}, which is not in these files`, help];
}

function textIn(
  manifest: Manifest | undefined,
  path: readonly string[],
): Pick<PipelineText, 'file' | 'source' | 'text'> | undefined {
  if (!manifest) return undefined;
  const { file, source, document, lines } = manifest;
  const node = document.getIn(path, true);
  const scalar = isAlias(node) ? node.resolve(document) : node;
  if (!isScalar(scalar) || typeof scalar.value !== 'string' || !scalar.range) return undefined;
  const at = spotOf(lines, scalar.range[0]);
  // The block begins in the line after its header.
  const block = { source, start: at.line, text: scalar.value };
  const isBlock = scalar.type === Scalar.BLOCK_LITERAL;
  return { file, source, text: isBlock ? literalBlock(block) : elsewhere(scalar.value, at) };
}

function sourcesOf(
  manifest: Manifest,
  all: readonly Manifest[],
): { given: GivenVariables; elsewhere: PipelineText['elsewhere'] } {
  const given: Record<string, GivenVariables[string]> = {};
  const unknown: PipelineText['elsewhere'] = { secrets: [], configMaps: [] };
  const list: unknown = fieldsOf(manifest.fields['spec'])['varsFrom'];
  for (const source of Array.isArray(list) ? list.map(fieldsOf) : []) {
    const secret = fieldsOf(source['secretRef'])['name'];
    if (typeof secret === 'string') unknown.secrets.push(secret);
    const name = fieldsOf(source['configMapRef'])['name'];
    if (typeof name !== 'string') continue;
    const found = configMap(name, manifest, all);
    if (found) Object.assign(given, plainVariables(fieldsOf(found.fields['data'])));
    else unknown.configMaps.push(name);
  }
  return { given, elsewhere: unknown };
}

const plainVariables = (fields: Fields): GivenVariables =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, { value: String(value) }]));

/** A manifest that names no namespace may be meant for any. */
function configMap(name: unknown, { fields }: Manifest, all: readonly Manifest[]): Manifest | undefined {
  const namespace = fieldsOf(fields['metadata'])['namespace'];
  return all.find((other) => {
    const metadata = fieldsOf(other.fields['metadata']);
    const near = namespace === undefined || [undefined, namespace].includes(metadata['namespace']);
    return other.fields['kind'] === 'ConfigMap' && metadata['name'] === name && near;
  });
}

function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const spotOf = (lines: LineCounter, offset: number): { line: number; column: number } => {
  const { line, col } = lines.linePos(offset);
  return { line, column: col };
};

const fault = (file: string, message: string, help: string): Finding => ({
  severity: 'error',
  code: 'invalid-manifest',
  message,
  help,
  file,
});
