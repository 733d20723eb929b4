import { pathToFileURL } from 'node:url';
import { VERSION } from '#config';
import { diagnosticCodes } from '#domain/language/diagnostic-codes.ts';
import { OWN_CODES, type Finding, type Place, type Spot } from './finding.ts';

/** Explains a code to readers of the report. */
interface Rule {
  id: string;
  shortDescription: { text: string };
  help?: { text: string };
  defaultConfiguration: { level: 'error' | 'warning' };
}

/** A report in SARIF 2.1.0. */
export function toSarif(findings: readonly Finding[], sources: ReadonlyMap<string, string>): object {
  const used = [...new Set(findings.map(({ code }) => code))].toSorted();
  const lines = new Map([...sources].map(([file, source]) => [file, source.split('\n')]));
  return {
    $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'millrace', semanticVersion: VERSION, rules: used.map(ruleOf) } },
        columnKind: 'unicodeCodePoints',
        results: findings.map((finding) => {
          const { code, severity, message, help, file, place, blocks } = finding;
          const physicalLocation = {
            artifactLocation: { uri: uriOf(file) },
            // Code hosts require a line: a finding about a whole file is on the first line.
            region: place ? regionOf(place, lines.get(file) ?? []) : { startLine: 1 },
          };
          return {
            ruleId: code,
            ruleIndex: used.indexOf(code),
            level: severity,
            message: { text: `${message}${/[.?!]$/.test(message) ? '' : '.'} ${help}` },
            locations: [{ physicalLocation, ...logicalLocations(blocks) }],
          };
        }),
      },
    ],
  };
}

function ruleOf(code: string): Rule {
  const diagnosticCode = Object.entries(diagnosticCodes).find(([name]) => name === code)?.[1];
  if (diagnosticCode) {
    const { meaning, help, severity } = diagnosticCode;
    return {
      id: code,
      shortDescription: { text: meaning },
      help: { text: help },
      defaultConfiguration: { level: severity },
    };
  }
  const ownCode = Object.entries(OWN_CODES).find(([name]) => name === code)?.[1];
  const { meaning, severity } = ownCode ?? { meaning: code, severity: 'error' };
  return { id: code, shortDescription: { text: meaning }, defaultConfiguration: { level: severity } };
}

/** The innermost block. Its full name also has the blocks around it (SARIF 3.33). */
function logicalLocations(blocks: readonly string[] = []): object {
  const name = blocks.at(-1);
  return name === undefined
    ? {}
    : { logicalLocations: [{ name, fullyQualifiedName: blocks.join(', '), kind: 'block' }] };
}

/**
 * The URI of a file: relative to the folder in which the command runs, as code hosts expect. An absolute path
 * becomes a file URL.
 */
function uriOf(file: string): string {
  if (file.startsWith('/')) return pathToFileURL(file).href;
  return file.replace(/^\.\//, '').split('/').map(encodeURIComponent).join('/');
}

function regionOf({ start, end }: Place, lines: readonly string[]): object {
  return {
    startLine: start.line,
    startColumn: codePoints(start, lines),
    endLine: end.line,
    endColumn: codePoints(end, lines),
  };
}

const segmenter = new Intl.Segmenter();

/** Converts a column of graphemes to one of code points. */
function codePoints({ line, column }: Spot, lines: readonly string[]): number {
  const before = Array.from(segmenter.segment(lines[line - 1] ?? ''), ({ segment }) => segment).slice(
    0,
    column - 1,
  );
  const beyond = column - 1 - before.length;
  return 1 + beyond + before.reduce((sum, letter) => sum + Array.from(letter).length, 0);
}
