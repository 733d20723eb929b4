import { createCompiler, type HclCompiler } from '#adapters/hcl/compile.ts';
import { diagnose, sortDiagnostics, type Diagnostic } from '#domain/language/diagnostic.ts';
import { didYouMean } from '#domain/language/suggest.ts';
import type { NeededSource } from '#domain/pipeline/compile-context.ts';
import type { Compilation } from '#domain/pipeline/compile.ts';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { makeSecretPlaceholder } from '#domain/pipeline/secret-placeholder.ts';
import type { GivenVariables } from '#domain/pipeline/variables.ts';
import { engineFile } from './find-engine.ts';
import { isErrorFinding, type Finding } from './finding.ts';
import type { PipelineText } from './read-manifests.ts';
import type { Terminal } from './terminal.ts';
import { toFinding } from './to-finding.ts';

export interface CompiledText {
  text: PipelineText;
  /**
   * Absent if the text or its manifest has errors, or if the text needs a source: this command fetches none.
   */
  pipeline?: Pipeline;
  findings: Finding[];
}

/** Long, because no other user waits for this compilation. */
const WALL_LIMIT_MS = 10 * 60_000;

const openLocalCompiler = (): HclCompiler =>
  createCompiler({ engine: engineFile(), wallLimitMs: WALL_LIMIT_MS });

/** Opens one compiler for everything that a command compiles, because its process takes a second to start. */
export async function withCompiler<Result>(
  { openCompiler = openLocalCompiler }: Pick<Terminal, 'openCompiler'>,
  action: (compiler: HclCompiler) => Promise<Result>,
): Promise<Result> {
  const compiler = openCompiler();
  try {
    return await action(compiler);
  } finally {
    await compiler.close();
  }
}

/** Compiles the texts as the operator does, but reads no cluster and fetches nothing. */
export const compileTexts = (
  texts: readonly PipelineText[],
  overrides: GivenVariables,
  terminal: Pick<Terminal, 'openCompiler'>,
): Promise<CompiledText[]> =>
  withCompiler(terminal, (compiler) =>
    Promise.all(texts.map((text) => compilePipelineText(text, overrides, compiler))),
  );

export async function compilePipelineText(
  text: PipelineText,
  overrides: GivenVariables,
  compiler: HclCompiler,
): Promise<CompiledText> {
  const variables = { ...text.variables, ...overrides };
  const { hcl } = text.text;
  let compilation = await compiler.compile(hcl, variables);
  const missing = text.unreadSources.secrets.length === 0 ? [] : missingVariables(compilation);
  // The values may be in a Secret that this command does not read: placeholders stand for them.
  if (missing.length > 0) {
    const secrets = missing.map(
      (name) => [name, { value: makeSecretPlaceholder(name), secret: true }] as const,
    );
    compilation = await compiler.compile(hcl, { ...variables, ...Object.fromEntries(secrets) });
  }
  const { pipeline, diagnostics, needs = [] } = compilation;
  const ownFindings = sortDiagnostics([...diagnostics, ...needs.map(warnOfSource)]).map((diagnostic) =>
    findingOf(diagnostic, text),
  );
  const findings = [...text.faults, ...ownFindings, ...unknownPins(text, pipeline)];
  return { text, findings, ...(pipeline && !findings.some(isErrorFinding) && { pipeline }) };
}

/** The operator refuses pins of resources that the pipeline does not have. */
function unknownPins({ pins }: PipelineText, pipeline: Pipeline | undefined): Finding[] {
  if (!pipeline) return [];
  const names = pipeline.resources.map(({ name }) => name);
  return pins
    .filter(({ resource }) => !names.includes(resource))
    .map(({ resource, at }) => {
      const message = `spec.pins: the pipeline has no resource "${resource}"${didYouMean(resource, names)}`;
      const help = 'Correct the name, or remove the pin.';
      return { severity: 'error', code: 'invalid-manifest', message, help, ...at };
    });
}

/** Warns that this command does not fetch a source, and so does not validate what refers to that source. */
function warnOfSource({ source, range, hint = '' }: NeededSource): Diagnostic {
  const help = 'What refers to it is not validated here. The cluster fetches it when you apply the Pipeline.';
  return {
    ...diagnose('source-unavailable', range, `${source} is not fetched by this command${hint}`, help),
    severity: 'warning',
  };
}

/** The names of variables without a value or a default. */
function missingVariables({ diagnostics }: Compilation): string[] {
  return diagnostics.flatMap(({ code, variable }) => (code === 'variable-missing' && variable) || []);
}

function findingOf(diagnostic: Diagnostic, text: PipelineText): Finding {
  const finding = toFinding(diagnostic, text);
  const { variable } = diagnostic;
  // The fault is in the manifest that gives the variable a value.
  if (diagnostic.code === 'variable-undeclared' && variable !== undefined)
    return { ...finding, ...text.placeOfVariable?.(variable) };
  if (diagnostic.code !== 'variable-missing') return finding;
  return { ...finding, help: [finding.help, ...configMapAdvice(text)].join(' ') };
}

function configMapAdvice({ unreadSources: { configMaps } }: PipelineText): string[] {
  if (configMaps.length === 0) return [];
  return [`It may come from the ConfigMap ${configMaps.join(' or ')}: name the file with it, or use --var.`];
}
