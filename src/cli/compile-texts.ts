import { createCompiler } from '#adapters/hcl/compile.ts';
import type { Compiler } from '#adapters/hcl/compile.ts';
import type { Diagnostic } from '#domain/language/diagnostic.ts';
import type { Compilation } from '#domain/pipeline/compile.ts';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { makeSecretPlaceholder } from '#domain/pipeline/secret-placeholder.ts';
import type { GivenVariables } from '#domain/pipeline/variables.ts';
import { engineFile } from './find-engine.ts';
import type { Finding } from './finding.ts';
import { isError } from './finding.ts';
import type { PipelineText } from './read-manifests.ts';
import { toFinding } from './to-finding.ts';

export interface CompiledText {
  text: PipelineText;
  /** Absent with errors. */
  pipeline?: Pipeline;
  findings: Finding[];
}

/** Reads the texts as the operator would, but for what only a cluster or the network knows. */
export async function compileTexts(
  texts: readonly PipelineText[],
  given: GivenVariables,
): Promise<CompiledText[]> {
  const compiler = createCompiler({ engine: engineFile() });
  try {
    return await Promise.all(texts.map((text) => compileText(compiler, text, given)));
  } finally {
    await compiler.close();
  }
}

async function compileText(
  compiler: Compiler,
  text: PipelineText,
  given: GivenVariables,
): Promise<CompiledText> {
  const variables = { ...text.given, ...given };
  let compilation = await compileOffline(compiler, text, variables);
  const missing = text.elsewhere.secrets.length === 0 ? [] : missingVariables(text, compilation);
  if (missing.length > 0) {
    const secrets = missing.map(
      (name) => [name, { value: makeSecretPlaceholder(name), secret: true }] as const,
    );
    compilation = await compileOffline(compiler, text, { ...variables, ...Object.fromEntries(secrets) });
  }
  const { pipeline, diagnostics, notYetRun = [] } = compilation;
  const doubtful = notYetRun.map((diagnostic): Diagnostic => ({ ...diagnostic, severity: 'warning' }));
  const told = [...diagnostics, ...doubtful].map((diagnostic) => findingOf(diagnostic, text));
  const findings = [...text.faults, ...told];
  return { text, findings, ...(pipeline && !findings.some(isError) && { pipeline }) };
}

/** Sources that are not built in are not fetched: the language says so where they are named. */
async function compileOffline(
  compiler: Compiler,
  { text: { hcl } }: PipelineText,
  variables: GivenVariables,
): Promise<Compilation> {
  const first = await compiler.compile(hcl, variables);
  if (!first.needs) return first;
  const failure = 'the command line fetches nothing';
  const sources = Object.fromEntries(first.needs.map(({ source }) => [source, { failure }]));
  return compiler.compile(hcl, variables, sources);
}

/** Declared, without a value or a default: a Secret may hold them. */
function missingVariables({ text: { hcl } }: PipelineText, { diagnostics }: Compilation): string[] {
  const bytes = Buffer.from(hcl);
  return diagnostics.flatMap(({ code, range }) => {
    if (code !== 'variable-missing' || !range) return [];
    const header = bytes.subarray(range.start.byte, range.end.byte).toString();
    return /"([^"]+)"/.exec(header)?.[1] ?? [];
  });
}

function findingOf(diagnostic: Diagnostic, text: PipelineText): Finding {
  const finding = toFinding(diagnostic, text);
  if (diagnostic.code === 'variable-undeclared') return { ...finding, ...placeOfValue(finding, text) };
  if (diagnostic.code !== 'variable-missing') return finding;
  return { ...finding, help: [finding.help, ...configMapAdvice(text)].join(' ') };
}

/** Of a value that the manifest gives, though the text declares no such variable. */
function placeOfValue({ message }: Finding, { given, placeOfVariable }: PipelineText): Partial<Finding> {
  const name = Object.keys(given).find((variable) => message.includes(`"${variable}", which`));
  return (name !== undefined && placeOfVariable?.(name)) || {};
}

function configMapAdvice({ elsewhere: { configMaps } }: PipelineText): string[] {
  if (configMaps.length === 0) return [];
  return [`It may come from the ConfigMap ${configMaps.join(' or ')}: name the file with it, or use --var.`];
}
