import { defined } from '#defined';
import { renderDiagnostic, sortDiagnostics, type Diagnostic } from '#domain/language/diagnostic.ts';
import type { NeededSource } from '#domain/pipeline/compile-context.ts';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { UNKNOWN_OTHERS, type GivenVariables } from '#domain/pipeline/variables.ts';
import type { Compiler } from './manifest-ports.ts';

/** The parts of a Pipeline's manifest that can be validated without other objects. */
export interface ManifestText {
  config: string;
  vars: Readonly<Record<string, string>>;
  /** ConfigMaps and Secrets give further variables. */
  varsElsewhere: boolean;
}

/** Texts in the form `line:column: in <blocks>: message`, as in the condition `Ready`. */
export interface ManifestDiagnosis {
  /** Errors that no content of ConfigMaps, Secrets or sources can prevent. */
  errors: string[];
  warnings: string[];
}

/**
 * Validates a manifest without the objects and sources that it refers to. Reports no error that their content
 * could prevent. If compiling takes too long, that is a warning.
 */
export async function diagnoseManifest(
  { config, vars, varsElsewhere }: ManifestText,
  compiler: Compiler,
): Promise<ManifestDiagnosis> {
  const { errors, warnings, needs } = await diagnoseConfig({ config, vars, varsElsewhere }, compiler);
  return {
    errors: errors.map(renderDiagnostic),
    warnings: [...warnings.map(renderDiagnostic), ...needs.map(warnOfSource)],
  };
}

/** A diagnostic with its position in the text as numbers. */
export interface ManifestFinding {
  severity: 'error' | 'warning';
  /** A stable code. Absent for a source that is not fetched yet. */
  code?: string;
  line?: number;
  column?: number;
  /** Position after the last character. */
  endLine?: number;
  endColumn?: number;
  /** The named blocks that contain the range, outermost first. */
  blocks?: string[];
  message: string;
  help?: string;
}

/** Validates as `diagnoseManifest` does. Returns positions as numbers. Only errors refuse the manifest. */
export async function findingsOf(text: ManifestText, compiler: Compiler): Promise<ManifestFinding[]> {
  return (await compileManifest(text, compiler)).findings;
}

/** The findings, and the pipeline if there is no error and every value is known. */
export async function compileManifest(
  text: ManifestText,
  compiler: Compiler,
): Promise<{ findings: ManifestFinding[]; pipeline?: Pipeline }> {
  const { errors, warnings, needs, pipeline } = await diagnoseConfig(text, compiler);
  const findings = [
    ...errors.map((diagnostic) => toFinding(diagnostic, 'error')),
    ...warnings.map((diagnostic) => toFinding(diagnostic, 'warning')),
    ...needs.map(({ source, range }) => ({
      severity: 'warning' as const,
      ...placeOf(range),
      message: `${source} ${FETCHED_LATER}`,
    })),
  ];
  return { findings, ...defined({ pipeline }) };
}

function toFinding(
  { code, range, blocks, message, help }: Diagnostic,
  severity: ManifestFinding['severity'],
): ManifestFinding {
  return { severity, code, ...placeOf(range), ...defined({ blocks }), message, help };
}

type Place = Pick<ManifestFinding, 'line' | 'column' | 'endLine' | 'endColumn'>;

function placeOf(range: Diagnostic['range']): Place {
  if (range === undefined) return {};
  const { start, end } = range;
  return { line: start.line, column: start.column, endLine: end.line, endColumn: end.column };
}

interface ConfigDiagnosis {
  /** Diagnostics that refuse the manifest. */
  errors: Diagnostic[];
  /** All other diagnostics, including errors that report a limit or a fault of the machine. */
  warnings: Diagnostic[];
  needs: readonly NeededSource[];
  pipeline: Pipeline | undefined;
}

async function diagnoseConfig(
  { config, vars, varsElsewhere }: ManifestText,
  compiler: Compiler,
): Promise<ConfigDiagnosis> {
  const entries = Object.entries(vars).map(([name, value]) => [name, { value }] as const);
  const variables: GivenVariables = {
    ...Object.fromEntries(entries),
    ...(varsElsewhere && { [UNKNOWN_OTHERS]: { value: '' } }),
  };
  const { diagnostics, needs = [], pipeline } = await compiler.compile(config, variables);
  const sorted = sortDiagnostics(diagnostics);
  return {
    errors: sorted.filter(refuses),
    warnings: sorted.filter((diagnostic) => !refuses(diagnostic)),
    needs,
    pipeline,
  };
}

const FETCHED_LATER = 'is fetched and validated only after the Pipeline is applied';

function warnOfSource({ source, range }: NeededSource): string {
  const place = range ? `${range.start.line}:${range.start.column}: ` : '';
  return `${place}${source} ${FETCHED_LATER}`;
}

/** These codes report a limit or a fault of the machine, so the text may be valid. */
const MACHINE_CODES = new Set<Diagnostic['code']>([
  'time-limit',
  'machine-busy',
  'memory-limit',
  'engine-fault',
]);

function refuses({ severity, code }: Diagnostic): boolean {
  return severity === 'error' && !MACHINE_CODES.has(code);
}
