import { readFileSync } from 'node:fs';
import { realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { startEngine, type HclEngine } from '#adapters/hcl/engine.ts';
import { parseText } from '#adapters/hcl/parse-text.ts';
import { diagnoseSyntax } from '#domain/language/diagnose-syntax.ts';
import type { Diagnostic } from '#domain/language/diagnostic.ts';
import { checkSize } from '#domain/pipeline/limits.ts';
import { explain } from './explain.ts';
import { engineFile } from './find-engine.ts';
import { isErrorFinding, type Finding } from './finding.ts';
import { readInput, readTexts, type InputFile } from './read-files.ts';
import type { PipelineText } from './read-manifests.ts';
import { renderFinding } from './render-findings.ts';
import { CommandError, EXIT, painter, type Exit, type Terminal } from './terminal.ts';
import { toFinding } from './to-finding.ts';

export interface FormatOptions {
  /** Change nothing; list the files that would change. */
  check?: boolean;
}

/** Formats HCL. Rewrites files; prints formatted standard input to standard output. */
export async function format(
  files: readonly string[],
  { check = false }: FormatOptions,
  terminal: Terminal,
): Promise<Exit> {
  const engine = startEngine(new WebAssembly.Module(readFileSync(engineFile())));
  const exits: Exit[] = [];
  for (const name of files.length === 0 ? ['-'] : files) {
    const formatted = await formatInput(await readInput(name, terminal), engine);
    exits.push(check ? report(formatted, terminal) : await apply(name, formatted, terminal));
  }
  return exits.includes(EXIT.failure) ? EXIT.failure : EXIT.success;
}

/** Prints the name of the file if its layout would change. */
function report(formatted: Formatted, terminal: Terminal): Exit {
  const { file, before, after } = formatted;
  const exit = printFindings(formatted, terminal);
  if (after === before) return exit;
  terminal.out(`${file}\n`);
  return EXIT.failure;
}

async function apply(name: string, formatted: Formatted, terminal: Terminal): Promise<Exit> {
  const { file, before, after } = formatted;
  const exit = printFindings(formatted, terminal);
  if (name === '-') {
    // With errors, prints no text: the reader could take a part of it for the whole.
    if (exit === EXIT.success) terminal.out(after);
  } else if (after !== before) {
    await replaceFile(name, after);
    terminal.out(`${file}\n`);
  }
  return exit;
}

function printFindings({ before, findings }: Formatted, terminal: Terminal): Exit {
  const paint = painter(terminal);
  for (const finding of findings) terminal.err(`${renderFinding(finding, before, paint)}\n`);
  return findings.length > 0 ? EXIT.failure : EXIT.success;
}

interface Formatted {
  file: string;
  before: string;
  after: string;
  findings: Finding[];
}

/**
 * Formats the texts of a file one after another, in memory. Parses the result so far before each replacement,
 * because the previous replacement may have moved the next text. Texts with errors stay unchanged.
 */
async function formatInput(input: InputFile, engine: HclEngine): Promise<Formatted> {
  const { pipelines, findings } = await readTexts(input);
  const before = new TextDecoder('utf-8', { ignoreBOM: true }).decode(input.bytes);
  const errors = findings.filter(isErrorFinding);
  let after = before;
  for (const [index, pipeline] of pipelines.entries()) {
    const faults = faultsOf(pipeline, engine);
    errors.push(...faults);
    if (faults.length > 0) continue;
    const reread = await readTexts({ ...input, bytes: Buffer.from(after) });
    const { hcl, replace } = reread.pipelines[index]?.text ?? {};
    if (hcl !== undefined && replace) after = replace(engine.format(Buffer.from(hcl).toString()));
  }
  return { file: input.file, before, after, findings: errors };
}

/** Why a text stays unchanged: its size, its syntax errors, or a form without lines of its own. */
function faultsOf(pipeline: PipelineText, engine: HclEngine): Finding[] {
  const { file, name, text } = pipeline;
  const asFinding = (diagnostic: Diagnostic): Finding => toFinding(diagnostic, pipeline);
  const tooLarge = checkSize(Buffer.byteLength(text.hcl));
  if (tooLarge) return [asFinding(tooLarge)];
  const document = parseText(engine, text.hcl);
  document.release();
  const faults = diagnoseSyntax(document).filter(isErrorFinding);
  if (faults.length > 0 || text.replace) return faults.map(asFinding);
  const subject = name === undefined ? 'the Pipeline' : `the Pipeline ${name}`;
  const message = `the text of ${subject} is not a block of lines, so it cannot be formatted in its place`;
  const help = 'Write it in YAML as config: | and indented lines; JSON has no such blocks.';
  const begin = { line: 1, column: 1, byte: 0 };
  const place = text.placeOf({ start: begin, end: begin });
  return [{ severity: 'error', code: 'invalid-manifest', message, help, file, place }];
}

/** Replaces the file atomically: if this process is killed, the file has either the old or the new text. */
async function replaceFile(name: string, text: string): Promise<void> {
  const file = await realpath(name);
  const unfinished = `${file}.${process.pid}.tmp`;
  try {
    await writeFile(unfinished, text, { mode: (await stat(file)).mode, flag: 'wx' });
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw new CommandError(`${name} cannot be written: ${explain(error)}`);
  }
}
