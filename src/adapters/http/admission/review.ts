import type { ManifestDiagnosis, ManifestText } from '#flows/pipelines/diagnose-manifest.ts';

const API_VERSION = 'admission.k8s.io/v1';
const KIND = 'AdmissionReview';
/** In characters. The messages of conditions, which list the same errors, have the same limit. */
const MAX_MESSAGE_CHARACTERS = 32_000;
/** In characters. The API server cuts longer warnings. */
const MAX_WARNING_CHARACTERS = 250;
const MAX_WARNINGS = 20;

/** The fields of an AdmissionReview request that Millrace uses. */
export interface Review {
  uid: string;
  namespace: string;
  name: string;
  /** Absent if the manifest has no text of its own, so there is nothing to check. */
  manifest?: ManifestText;
}

/** `unchecked`: why the manifest could not be checked. */
export type AdmissionVerdict = ManifestDiagnosis | { unchecked: string };

/** Reads the review from a request body. Returns undefined if it is not about a Pipeline. */
export function readReview(body: unknown): Review | undefined {
  if (textIn(body, 'apiVersion') !== API_VERSION || textIn(body, 'kind') !== KIND) return undefined;
  const request = fieldIn(body, 'request');
  const uid = textIn(request, 'uid');
  const object = fieldIn(request, 'object');
  if (uid === undefined || textIn(object, 'kind') !== 'Pipeline') return undefined;
  const spec = fieldIn(object, 'spec');
  const config = textIn(spec, 'config');
  const name = textIn(request, 'name') ?? '';
  const namespace = textIn(request, 'namespace') ?? '';
  if (config === undefined) return { uid, name, namespace };
  const varsFrom = fieldIn(spec, 'varsFrom');
  const varsElsewhere = Array.isArray(varsFrom) && varsFrom.length > 0;
  return { uid, name, namespace, manifest: { config, vars: textsIn(fieldIn(spec, 'vars')), varsElsewhere } };
}

/** Returns the verdict as an AdmissionReview response. */
export function answerTo({ uid, name }: Review, verdict: AdmissionVerdict): object {
  return { apiVersion: API_VERSION, kind: KIND, response: { uid, ...responseFor(name, verdict) } };
}

function responseFor(name: string, verdict: AdmissionVerdict): object {
  if ('unchecked' in verdict) return { allowed: true, ...warningsOf([verdict.unchecked]) };
  const warnings = warningsOf(verdict.warnings.map((warning) => `spec.config: ${warning}`));
  if (verdict.errors.length === 0) return { allowed: true, ...warnings };
  const lines = firstLines(verdict.errors);
  return {
    allowed: false,
    status: {
      status: 'Failure',
      code: 422,
      reason: 'Invalid',
      // kubectl shows kind, name and causes. Other clients show the message.
      message: `spec.config: ${lines.join('\n')}`,
      details: {
        group: 'millrace.dev',
        kind: 'Pipeline',
        ...(name !== '' && { name }),
        causes: lines.map((message) => ({ reason: 'FieldValueInvalid', field: 'spec.config', message })),
      },
    },
    ...warnings,
  };
}

/** Returns as many whole lines as fit, and a last line with the number of lines left out. */
function firstLines(lines: readonly string[]): string[] {
  let remainingCharacters = MAX_MESSAGE_CHARACTERS;
  const fitting: string[] = [];
  for (const line of lines) {
    remainingCharacters -= line.length + 1;
    if (remainingCharacters < 0) return [...fitting, `… and ${lines.length - fitting.length} more`];
    fitting.push(line);
  }
  return fitting;
}

function warningsOf(warnings: readonly string[]): { warnings?: string[] } {
  if (warnings.length === 0) return {};
  const shortened = warnings.map((warning) =>
    warning.length <= MAX_WARNING_CHARACTERS ? warning : `${warning.slice(0, MAX_WARNING_CHARACTERS - 1)}…`,
  );
  const surplus = shortened.length - MAX_WARNINGS;
  return {
    warnings:
      surplus <= 0 ? shortened : [...shortened.slice(0, MAX_WARNINGS), `… and ${surplus} more warnings`],
  };
}

function fieldIn(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return new Map<string, unknown>(Object.entries(value)).get(name);
}

function textIn(value: unknown, name: string): string | undefined {
  const field = fieldIn(value, name);
  return typeof field === 'string' ? field : undefined;
}

function textsIn(value: unknown): Record<string, string> {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, text]: [string, unknown]): [string, string][] =>
      typeof text === 'string' ? [[key, text]] : [],
    ),
  );
}
