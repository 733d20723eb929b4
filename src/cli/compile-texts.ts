import { createCompiler } from '#adapters/hcl/compile.ts';
import type { Compiler } from '#adapters/hcl/compile.ts';
import { diagnose } from '#domain/language/diagnostic.ts';
import type { Diagnostic } from '#domain/language/diagnostic.ts';
import type { Compilation } from '#domain/pipeline/compile.ts';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { makeSecretPlaceholder } from '#domain/pipeline/secret-placeholder.ts';
import type { NeededSource } from '#domain/pipeline/surroundings.ts';
import type { GivenVariables } from '#domain/pipeline/variables.ts';
import { engineFile } from './find-engine.ts';
import type { Finding } from './finding.ts';
import { isError } from './finding.ts';
import type { PipelineText } from './read-manifests.ts';
import type { Terminal } from './terminal.ts';
import { toFinding } from './to-finding.ts';

export interface CompiledText {
  text: PipelineText;
  /** Absent with errors, and with sources that would have to be fetched. */
  pipeline?: Pipeline;
  findings: Finding[];
}

/** Reads the texts as the operator would, but for what only a cluster or the network knows. */
export async function compileTexts(
  texts: readonly PipelineText[],
  given: GivenVariables,
  { openCompiler = () => createCompiler({ engine: engineFile() }) }: Pick<Terminal, 'openCompiler'>,
): Promise<CompiledText[]> {
  const compiler = openCompiler();
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
  const { hcl } = text.text;
  let compilation = await compiler.compile(hcl, variables);
  const missing = text.elsewhere.secrets.length === 0 ? [] : missingVariables(compilation);
  if (missing.length > 0) {
    const secrets = missing.map(
      (name) => [name, { value: makeSecretPlaceholder(name), secret: true }] as const,
    );
    compilation = await compiler.compile(hcl, { ...variables, ...Object.fromEntries(secrets) });
  }
  const { pipeline, diagnostics, notYetRun = [], needs = [] } = compilation;
  const doubtful = notYetRun.map((diagnostic): Diagnostic => ({ ...diagnostic, severity: 'warning' }));
  const told = [...diagnostics, ...needs.map(unseen), ...doubtful].map((diagnostic) =>
    findingOf(diagnostic, text),
  );
  const findings = [...text.faults, ...told];
  return { text, findings, ...(pipeline && !findings.some(isError) && { pipeline }) };
}

/** Nothing is fetched here: what depends on the source is not judged. */
function unseen({ source, range }: NeededSource): Diagnostic {
  const help = 'What refers to it is not judged here. The cluster fetches it when the Pipeline is applied.';
  return {
    ...diagnose('source-unavailable', range, `${source} is not looked at`, help),
    severity: 'warning',
  };
}

/** Declared, without a value or a default: a Secret may hold them. */
function missingVariables({ diagnostics }: Compilation): string[] {
  return diagnostics.flatMap(({ code, variable }) => (code === 'variable-missing' && variable) || []);
}

function findingOf(diagnostic: Diagnostic, text: PipelineText): Finding {
  const finding = toFinding(diagnostic, text);
  const { variable } = diagnostic;
  // The text has no place for it, but the manifest that gives the value has.
  if (diagnostic.code === 'variable-undeclared' && variable !== undefined)
    return { ...finding, ...text.placeOfVariable?.(variable) };
  if (diagnostic.code !== 'variable-missing') return finding;
  return { ...finding, help: [finding.help, ...configMapAdvice(text)].join(' ') };
}

function configMapAdvice({ elsewhere: { configMaps } }: PipelineText): string[] {
  if (configMaps.length === 0) return [];
  return [`It may come from the ConfigMap ${configMaps.join(' or ')}: name the file with it, or use --var.`];
}
