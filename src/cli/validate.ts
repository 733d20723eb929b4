import { defined } from '#defined';
import { compileTexts, type CompiledText } from './compile-texts.ts';
import { pluralize, isErrorFinding, type Finding } from './finding.ts';
import { readPipelines, type ReadFiles } from './read-files.ts';
import { readVariables, type VariableOptions } from './read-variables.ts';
import { renderFinding } from './render-findings.ts';
import { toSarif } from './sarif.ts';
import { EXIT, painter, type Exit, type Terminal } from './terminal.ts';

export interface ValidateOptions extends VariableOptions {
  output: 'text' | 'json' | 'sarif';
}

/** Validates pipelines as the operator does, without a cluster or the network. */
export async function validate(
  files: readonly string[],
  options: ValidateOptions,
  terminal: Terminal,
): Promise<Exit> {
  const variables = await readVariables(options, terminal);
  const { pipelines, findings, sources } = await readPipelines(files, terminal);
  const compiled = await compileTexts(pipelines, variables, terminal);
  const allFindings = [...findings, ...compiled.flatMap((text) => text.findings)];
  if (options.output === 'text') terminal.out(renderText(compiled, { findings, sources }, terminal));
  if (options.output === 'json') terminal.out(renderJson(compiled, findings));
  if (options.output === 'sarif')
    terminal.out(`${JSON.stringify(toSarif(allFindings, sources), undefined, 2)}\n`);
  return allFindings.some(isErrorFinding) ? EXIT.failure : EXIT.success;
}

/** The findings of manifests, then those of each pipeline with a summary line. */
function renderText(
  compiled: readonly CompiledText[],
  { findings, sources }: Pick<ReadFiles, 'findings' | 'sources'>,
  terminal: Terminal,
): string {
  const paint = painter(terminal);
  const render = (finding: Finding): string =>
    `${renderFinding(finding, sources.get(finding.file), paint)}\n`;
  const blocks = findings.map(render);
  for (const { text, pipeline, findings: ownFindings } of compiled) {
    blocks.push(...ownFindings.map(render));
    const errors = ownFindings.filter(isErrorFinding).length;
    const warnings = ownFindings.length - errors;
    const counts = [
      ...(errors > 0 ? [pluralize(errors, 'error')] : []),
      ...(warnings > 0 ? [pluralize(warnings, 'warning')] : []),
      ...(pipeline
        ? [pluralize(pipeline.jobs.length, 'job'), pluralize(pipeline.resources.length, 'resource')]
        : []),
    ];
    const verdict = errors > 0 ? paint('red', 'not valid') : paint('green', 'valid');
    blocks.push(`${titleOf(text)}: ${verdict}, ${counts.join(', ')}\n`);
  }
  return blocks.join('');
}

const titleOf = ({ file, name }: CompiledText['text']): string =>
  name === undefined ? file : `${file}, ${name}`;

function renderJson(compiled: readonly CompiledText[], findings: readonly Finding[]): string {
  const pipelines = compiled.map(({ text: { file, name }, pipeline, findings: ownFindings }) => ({
    file,
    ...defined({ pipeline: name }),
    valid: !ownFindings.some(isErrorFinding),
    ...(pipeline && { jobs: pipeline.jobs.length, resources: pipeline.resources.length }),
    diagnostics: ownFindings.map((finding) => (finding.file === file ? withoutFile(finding) : finding)),
  }));
  const allFindings = [...findings, ...compiled.flatMap((text) => text.findings)];
  const errors = allFindings.filter(isErrorFinding).length;
  const report = {
    valid: errors === 0,
    errors,
    warnings: allFindings.length - errors,
    files: findings,
    pipelines,
  };
  return `${JSON.stringify(report, undefined, 2)}\n`;
}

const withoutFile = ({ file: _file, ...finding }: Finding): Omit<Finding, 'file'> => finding;
