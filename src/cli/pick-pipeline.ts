import type { HclCompiler } from '#adapters/hcl/compile.ts';
import { builtInSource } from '#domain/pipeline/built-in-source.ts';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { makeSecretPlaceholder } from '#domain/pipeline/secret-placeholder.ts';
import type { GivenVariables } from '#domain/pipeline/variables.ts';
import { textOfVariable } from './check-pipeline.ts';
import { compilePipelineText, withCompiler } from './compile-texts.ts';
import { pluralize, isErrorFinding, type Finding } from './finding.ts';
import { isManifest } from './is-manifest.ts';
import { readPipelines } from './read-files.ts';
import type { PipelineText } from './read-manifests.ts';
import { readVariables, type VariableOptions } from './read-variables.ts';
import { renderFinding } from './render-findings.ts';
import { secretVariablesIn } from './secret-variables.ts';
import { CommandError, painter, type Terminal } from './terminal.ts';

export interface PickOptions extends VariableOptions {
  /** `<namespace>/<name>` or `<name>`; needed if the file has several pipelines. */
  pipeline?: string;
}

export interface PickedPipeline {
  name: string;
  pipeline: Pipeline;
}

/** The only pipeline of a file, or the named one. If it is not valid, prints why and returns undefined. */
export async function pickPipeline(
  file: string,
  options: PickOptions,
  terminal: Terminal,
): Promise<PickedPipeline | undefined> {
  const picked = await withCompiler(terminal, (compiler) =>
    compilePicked(file, options, { terminal, compiler }),
  );
  return picked && { name: picked.name, pipeline: picked.pipeline };
}

export interface PickedWithSecrets extends PickedPipeline {
  /** Values of variables with a secret block, by variable, if the user or the manifest sets them. */
  secrets: ReadonlyMap<string, string>;
  /**
   * For each variable whose secret is of the type `env`, the name of the environment variable that has the
   * value.
   */
  environmentKeys: ReadonlyMap<string, string>;
}

/** Like `pickPipeline`, but the value of each variable with a secret block is a placeholder. */
export const pickWithSecrets = (
  file: string,
  options: PickOptions,
  terminal: Terminal,
): Promise<PickedWithSecrets | undefined> =>
  withCompiler(terminal, (compiler) => compileWithSecrets(file, options, { terminal, compiler }));

async function compileWithSecrets(
  file: string,
  options: PickOptions,
  tools: Tools,
): Promise<PickedWithSecrets | undefined> {
  const picked = await compilePicked(file, options, tools);
  if (!picked) return undefined;
  const { name, pipeline, text, overrides } = picked;
  const secretVariables = secretVariablesIn(text.text.hcl);
  const values = { ...text.variables, ...overrides };
  const secrets = new Map(
    secretVariables.flatMap((variable) =>
      values[variable] === undefined ? [] : [[variable, textOfVariable(values[variable].value)] as const],
    ),
  );
  if (secretVariables.length === 0) return { name, pipeline, secrets, environmentKeys: new Map() };
  const placeholders = Object.fromEntries(
    secretVariables.map((variable) => [variable, { value: makeSecretPlaceholder(variable), secret: true }]),
  );
  // With placeholders, this reports an error for everything that needs the value of a secret.
  const compiled = await picked.compile(text, { ...overrides, ...placeholders });
  return compiled && { name, pipeline: compiled, secrets, environmentKeys: environmentKeysOf(pipeline) };
}

function environmentKeysOf({ secrets = [], secretTypes = [] }: Pipeline): ReadonlyMap<string, string> {
  const types = new Set(
    secretTypes
      .filter((type) => builtInSource(type) === 'svc://env' && type.config['path'] === undefined)
      .map(({ name }) => name),
  );
  const environmentSecrets = secrets.filter(({ type, path }) => types.has(type) && path === undefined);
  return new Map(environmentSecrets.map(({ name, key }) => [name, key]));
}

interface CompiledPick extends PickedPipeline {
  text: PipelineText;
  overrides: GivenVariables;
  compile: Compile;
}

/** Compiles a text. If it is not valid, prints why and returns undefined. */
type Compile = (text: PipelineText, overrides: GivenVariables) => Promise<Pipeline | undefined>;

interface Tools {
  terminal: Terminal;
  compiler: HclCompiler;
}

async function compilePicked(
  file: string,
  options: PickOptions,
  { terminal, compiler }: Tools,
): Promise<CompiledPick | undefined> {
  const overrides = await readVariables(options, terminal);
  const { pipelines, findings, sources } = await readPipelines([file], terminal);
  const paint = painter(terminal);
  const print = (finding: Finding): void =>
    terminal.err(`${renderFinding(finding, sources.get(finding.file), paint)}\n`);
  findings.filter(isErrorFinding).forEach(print);
  if (findings.some(isErrorFinding)) return undefined;
  const text = choose(file, pipelines, options.pipeline);
  const compile: Compile = async (pipelineText, variables) => {
    const compiled = await compilePipelineText(pipelineText, variables, compiler);
    if (compiled.pipeline) return compiled.pipeline;
    blockingFindings(compiled.findings).forEach(print);
    return undefined;
  };
  const pipeline = await compile(text, overrides);
  const name = text.name?.split('/').at(-1) ?? nameOfFile(file);
  return pipeline && { name, pipeline, text, overrides, compile };
}

function choose(file: string, texts: readonly PipelineText[], wantedName?: string): PipelineText {
  const matching = texts.filter((text) => wantedName === undefined || hasName(text, wantedName));
  const [only] = matching;
  if (only && matching.length === 1) return only;
  if (texts.length === 0)
    throw new CommandError(`${file} has no Pipeline: name a file with HCL or with a manifest of that kind`);
  if (matching.length === 0)
    throw new CommandError(`${file} has no Pipeline ${wantedName}; it has ${listNames(texts)}`);
  const count = pluralize(matching.length, 'Pipeline');
  throw new CommandError(`${file} has ${count}: choose one of ${listNames(matching)} with --pipeline`);
}

function hasName(text: PipelineText, wantedName: string): boolean {
  const name = nameOf(text);
  return name === wantedName || name?.split('/').at(-1) === wantedName;
}

const listNames = (texts: readonly PipelineText[]): string =>
  texts.map((text) => nameOf(text) ?? text.file).join(', ');

/** The name in the manifest or, for HCL without a manifest, that of the file. */
const nameOf = ({ name, file, source }: PipelineText): string | undefined =>
  name ?? (isManifest(file, source) ? undefined : nameOfFile(file));

/** `ci/app.hcl` is the pipeline `app`. */
const nameOfFile = (file: string): string =>
  file
    .split('/')
    .at(-1)
    ?.replace(/\.[^.]*$/, '') ?? file;

/**
 * The findings that prevent a command from using the pipeline: errors, and sources that this command does not
 * fetch.
 */
function blockingFindings(findings: readonly Finding[]): Finding[] {
  return findings
    .filter((finding) => isErrorFinding(finding) || finding.code === 'source-unavailable')
    .map((finding) => ({ ...finding, severity: 'error' }));
}
