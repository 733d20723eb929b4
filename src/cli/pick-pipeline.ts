import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { compileTexts } from './compile-texts.ts';
import { count, isErrorFinding, type Finding } from './finding.ts';
import { readPipelines } from './read-files.ts';
import type { PipelineText } from './read-manifests.ts';
import { readVariables, type VariableOptions } from './read-variables.ts';
import { renderFinding } from './render-findings.ts';
import { Misuse, painter, type Terminal } from './terminal.ts';

export interface PickOptions extends VariableOptions {
  /** `<namespace>/<name>` or `<name>`; needed if the file has several. */
  pipeline?: string;
}

/** The one pipeline of a file; undefined after printing why it is not valid. */
export async function pickPipeline(
  file: string,
  options: PickOptions,
  terminal: Terminal,
): Promise<{ name: string; pipeline: Pipeline } | undefined> {
  const given = await readVariables(options, terminal);
  const { pipelines, findings, sources } = await readPipelines([file], terminal);
  const paint = painter(terminal);
  const print = (finding: Finding): void =>
    terminal.err(`${renderFinding(finding, sources.get(finding.file), paint)}\n`);
  findings.filter(isErrorFinding).forEach(print);
  if (findings.some(isErrorFinding)) return undefined;
  const text = choose(file, pipelines, options.pipeline);
  const [compiled] = await compileTexts([text], given, { ...terminal, languageOnly: true });
  if (compiled && !compiled.pipeline) whatStops(compiled.findings).forEach(print);
  if (!compiled?.pipeline) return undefined;
  return { name: text.name?.split('/').at(-1) ?? nameOfFile(file), pipeline: compiled.pipeline };
}

function choose(file: string, texts: readonly PipelineText[], wanted?: string): PipelineText {
  const fitting = texts.filter(
    ({ name }) => wanted === undefined || name === wanted || name?.split('/').at(-1) === wanted,
  );
  const [only] = fitting;
  if (only && fitting.length === 1) return only;
  const names = texts.map(({ name }) => name ?? file).join(', ');
  if (texts.length === 0) throw new Misuse(`${file} has no Pipeline`);
  if (fitting.length === 0) throw new Misuse(`${file} has no Pipeline ${wanted}; it has ${names}`);
  throw new Misuse(
    `${file} has ${count(fitting.length, 'Pipeline')}: choose one of ${names} with --pipeline`,
  );
}

/** `ci/app.hcl` is the pipeline `app`. */
const nameOfFile = (file: string): string =>
  file
    .split('/')
    .at(-1)
    ?.replace(/\.[^.]*$/, '') ?? file;

/**
 * Errors, and sources that are not fetched: without them a pipeline can be validated, but not drawn or
 * planned.
 */
function whatStops(findings: readonly Finding[]): Finding[] {
  return findings
    .filter((finding) => isErrorFinding(finding) || finding.code === 'source-unavailable')
    .map((finding) => ({ ...finding, severity: 'error' }));
}
