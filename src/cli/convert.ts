import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { startEngine } from '#adapters/hcl/engine.ts';
import { convertConcourse } from '#domain/convert/convert-concourse.ts';
import type { YamlSpan, YamlTree } from '#domain/convert/yaml-tree.ts';
import { checkSize } from '#domain/pipeline/limits.ts';
import type { GivenVariables } from '#domain/pipeline/variables.ts';
import { compileTexts, type CompiledText } from './compile-texts.ts';
import { wholeFile } from './embedded-text.ts';
import { explain } from './explain.ts';
import { engineFile } from './find-engine.ts';
import { pluralize, isErrorFinding, type Finding } from './finding.ts';
import { spotAt } from './parse-manifests.ts';
import { readInput } from './read-files.ts';
import { readVariables, type VariableOptions } from './read-variables.ts';
import { readYamlTree, type ReadYaml } from './read-yaml-tree.ts';
import { renderFinding } from './render-findings.ts';
import { CommandError, EXIT, painter, type Exit, type Terminal } from './terminal.ts';

export interface ConvertOptions extends VariableOptions {
  from: 'concourse';
  /** A file; standard output if absent. */
  out?: string;
}

/** The HCL of a larger YAML file would usually exceed the limit for the text of a pipeline. */
const MAX_YAML_BYTES = 1024 * 1024;

/** Converts a pipeline of Concourse, and validates the result. */
export async function convert(name: string, options: ConvertOptions, terminal: Terminal): Promise<Exit> {
  const variables = await readVariables(options, terminal);
  const { file, bytes } = await readInput(name, terminal);
  if (bytes.length > MAX_YAML_BYTES) throw new CommandError(`${file} is larger than the limit of 1 MiB`);
  const source = new TextDecoder().decode(bytes);
  const yaml = readYamlTree(source);
  const { hcl, findings } = convertTree(yaml, { file, source, variables });
  print(findings, { source, terminal });
  if (hcl === undefined) {
    terminal.err(`${file}: not converted, ${pluralize(findings.filter(isErrorFinding).length, 'error')}\n`);
    return EXIT.failure;
  }
  const formatted = startEngine(new WebAssembly.Module(readFileSync(engineFile()))).format(hcl);
  const outputName = options.out ?? '<stdout>';
  const compiled = await validateText(outputName, formatted, terminal);
  if (compiled === undefined) return EXIT.failure;
  await write(options.out, formatted, terminal);
  return report(compiled, { outputName, source: formatted, warnings: findings.length, terminal });
}

interface Input {
  file: string;
  source: string;
  variables: GivenVariables;
}

/** Converts a parsed pipeline. The result has no `hcl` if there are errors. */
function convertTree(
  yaml: ReadYaml,
  { file, source, variables }: Input,
): { hcl?: string; findings: Finding[] } {
  const finding = (
    severity: 'error' | 'warning',
    note: { message: string; help: string; span: YamlSpan },
  ): Finding => ({
    severity,
    code: severity === 'error' ? 'invalid-source' : 'no-counterpart',
    message: note.message,
    help: note.help,
    file,
    place: {
      start: spotAt({ source, lines: yaml.lines }, note.span.start),
      end: spotAt({ source, lines: yaml.lines }, note.span.end),
    },
  });
  if (yaml.tree === undefined) return { findings: yaml.faults.map((fault) => finding('error', fault)) };
  const { hcl, notes } = convertConcourse(yaml.tree, valuesOf(variables));
  const findings = withoutRepeats(notes.map((note) => finding(note.severity, note)));
  return findings.some(isErrorFinding) ? { findings } : { hcl, findings };
}

/** Removes repeated findings: an alias or `across` converts the same lines several times. */
function withoutRepeats(findings: readonly Finding[]): Finding[] {
  const unique = new Map<string, Finding>();
  for (const finding of findings) {
    const key = JSON.stringify([finding.place, finding.message]);
    if (!unique.has(key)) unique.set(key, finding);
  }
  return [...unique.values()];
}

/** The variables as the converter needs them: all as values, and those that are not text also as YAML. */
function valuesOf(variables: GivenVariables): Parameters<typeof convertConcourse>[1] {
  const plain = new Map(Object.entries(variables).map(([name, { value }]) => [name, value] as const));
  const trees = [...plain].flatMap(([name, value]): [string, YamlTree][] => {
    const { tree } = readYamlTree(JSON.stringify(value));
    return typeof value === 'string' || tree === undefined ? [] : [[name, tree]];
  });
  return { plain, trees: new Map(trees) };
}

/** Validates the HCL. If it is too large for a pipeline, prints why and returns undefined. */
async function validateText(
  file: string,
  hcl: string,
  terminal: Terminal,
): Promise<CompiledText | undefined> {
  const bytes = Buffer.from(hcl);
  const tooLarge = checkSize(bytes.length);
  if (tooLarge) {
    terminal.err(`${file}: not converted: ${tooLarge.message}\n`);
    return undefined;
  }
  const text = {
    file,
    source: hcl,
    text: wholeFile(bytes),
    variables: {},
    unreadSources: { secrets: [], configMaps: [] },
    pins: [],
    faults: [],
  };
  const [compiled] = await compileTexts([text], {}, terminal);
  return compiled;
}

interface ReportContext {
  outputName: string;
  source: string;
  warnings: number;
  terminal: Terminal;
}

/** Prints the findings of the validation, and a line with the result. */
function report(
  { findings, pipeline }: CompiledText,
  { outputName, source, warnings, terminal }: ReportContext,
): Exit {
  print(findings, { source, terminal });
  const errors = findings.filter(isErrorFinding).length;
  const counts = [
    ...(errors > 0 ? [pluralize(errors, 'error')] : []),
    ...(pipeline
      ? [pluralize(pipeline.jobs.length, 'job'), pluralize(pipeline.resources.length, 'resource')]
      : []),
    ...(warnings > 0 ? [`${pluralize(warnings, 'warning')} of the conversion`] : []),
  ];
  const verdict = errors > 0 ? painter(terminal)('red', 'not valid') : painter(terminal)('green', 'valid');
  terminal.err(`${outputName}: ${verdict}, ${counts.join(', ')}\n`);
  return errors > 0 ? EXIT.failure : EXIT.success;
}

function print(
  findings: readonly Finding[],
  { source, terminal }: { source: string; terminal: Terminal },
): void {
  const paint = painter(terminal);
  for (const finding of findings) terminal.err(`${renderFinding(finding, source, paint)}\n`);
}

async function write(out: string | undefined, text: string, terminal: Terminal): Promise<void> {
  if (out === undefined) {
    terminal.out(text);
    return;
  }
  try {
    await writeFile(out, text);
  } catch (error) {
    throw new CommandError(`${out} cannot be written: ${explain(error)}`);
  }
}
