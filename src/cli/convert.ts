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
import { count, isErrorFinding, type Finding } from './finding.ts';
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

/** Larger than any pipeline that could be valid afterwards: aliases make YAML smaller than HCL. */
const MAX_YAML_BYTES = 1024 * 1024;

/** Converts a pipeline of Concourse, and validates the result. */
export async function convert(name: string, options: ConvertOptions, terminal: Terminal): Promise<Exit> {
  const given = await readVariables(options, terminal);
  const { file, bytes } = await readInput(name, terminal);
  if (bytes.length > MAX_YAML_BYTES) throw new CommandError(`${file} is larger than the limit of 1 MiB`);
  const source = new TextDecoder().decode(bytes);
  const read = readYamlTree(source);
  const { hcl, findings } = convertTree(read, { file, source, given });
  print(findings, { source, terminal });
  if (hcl === undefined) {
    terminal.err(`${file}: not converted, ${count(findings.filter(isErrorFinding).length, 'error')}\n`);
    return EXIT.failure;
  }
  const formatted = startEngine(new WebAssembly.Module(readFileSync(engineFile()))).format(hcl);
  const shown = options.out ?? '<stdout>';
  const compiled = await validateText(shown, formatted, terminal);
  if (compiled === undefined) return EXIT.failure;
  await write(options.out, formatted, terminal);
  return report(compiled, { shown, source: formatted, warnings: findings.length, terminal });
}

interface Input {
  file: string;
  source: string;
  given: GivenVariables;
}

/** No text if there are errors. */
function convertTree(read: ReadYaml, { file, source, given }: Input): { hcl?: string; findings: Finding[] } {
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
      start: spotAt({ source, lines: read.lines }, note.span.start),
      end: spotAt({ source, lines: read.lines }, note.span.end),
    },
  });
  if (read.tree === undefined) return { findings: read.faults.map((fault) => finding('error', fault)) };
  const { hcl, notes } = convertConcourse(read.tree, valuesOf(given));
  const findings = withoutRepeats(notes.map((note) => finding(note.severity, note)));
  return findings.some(isErrorFinding) ? { findings } : { hcl, findings };
}

/** An alias or a combination of `across` converts the same lines several times. */
function withoutRepeats(findings: readonly Finding[]): Finding[] {
  const seen = new Set<string>();
  return findings.filter((finding) => {
    const key = JSON.stringify([finding.place, finding.message]);
    return !seen.has(key) && seen.add(key);
  });
}

function valuesOf(given: GivenVariables): Parameters<typeof convertConcourse>[1] {
  const plain = new Map(Object.entries(given).map(([name, { value }]) => [name, value] as const));
  const trees = [...plain].flatMap(([name, value]): [string, YamlTree][] => {
    const { tree } = readYamlTree(JSON.stringify(value));
    return typeof value === 'string' || tree === undefined ? [] : [[name, tree]];
  });
  return { plain, trees: new Map(trees) };
}

/** Undefined, after a report, if the text is larger than a pipeline can be. */
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
    given: {},
    elsewhere: { secrets: [], configMaps: [] },
    pins: [],
    faults: [],
  };
  const [compiled] = await compileTexts([text], {}, terminal);
  return compiled;
}

interface Reported {
  shown: string;
  source: string;
  warnings: number;
  terminal: Terminal;
}

/** What validation found in the output, and a line with the verdict. */
function report({ findings, pipeline }: CompiledText, { shown, source, warnings, terminal }: Reported): Exit {
  print(findings, { source, terminal });
  const errors = findings.filter(isErrorFinding).length;
  const all = [
    ...(errors > 0 ? [count(errors, 'error')] : []),
    ...(pipeline ? [count(pipeline.jobs.length, 'job'), count(pipeline.resources.length, 'resource')] : []),
    ...(warnings > 0 ? [`${count(warnings, 'warning')} of the conversion`] : []),
  ];
  const verdict = errors > 0 ? painter(terminal)('red', 'not valid') : painter(terminal)('green', 'valid');
  terminal.err(`${shown}: ${verdict}, ${all.join(', ')}\n`);
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
