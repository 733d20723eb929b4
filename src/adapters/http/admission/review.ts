import type { ManifestDiagnosis, ManifestText } from '#flows/pipelines/diagnose-manifest.ts';

const API_VERSION = 'admission.k8s.io/v1';
const KIND = 'AdmissionReview';
/** As long as a condition's message may be: the two tell the same. */
const LONGEST_MESSAGE = 32_000;
/** The API server cuts longer ones. */
const LONGEST_WARNING = 250;
const MOST_WARNINGS = 20;

/** A question of the API server, as far as it is looked at. */
export interface Review {
  uid: string;
  namespace: string;
  name: string;
  /** Absent: the manifest has no text of its own, and so nothing to be judged here. */
  manifest?: ManifestText;
}

/** `unchecked`: a sentence why nothing can be said now. */
export type AdmissionVerdict = ManifestDiagnosis | { unchecked: string };

/** The question in a body, or undefined when it is none about a Pipeline. */
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
  const elsewhere = fieldIn(spec, 'varsFrom');
  const varsElsewhere = Array.isArray(elsewhere) && elsewhere.length > 0;
  return { uid, name, namespace, manifest: { config, vars: textsIn(fieldIn(spec, 'vars')), varsElsewhere } };
}

/** The answer to it, as an AdmissionReview. */
export function answerTo({ uid, name }: Review, verdict: AdmissionVerdict): object {
  return { apiVersion: API_VERSION, kind: KIND, response: { uid, ...responseFor(name, verdict) } };
}

function responseFor(name: string, verdict: AdmissionVerdict): object {
  if ('unchecked' in verdict) return { allowed: true, ...warned([verdict.unchecked]) };
  const warnings = warned(verdict.warnings.map((warning) => `spec.config: ${warning}`));
  if (verdict.errors.length === 0) return { allowed: true, ...warnings };
  const lines = bounded(verdict.errors);
  return {
    allowed: false,
    status: {
      status: 'Failure',
      code: 422,
      reason: 'Invalid',
      // kubectl shows kind, name and causes; others show the message.
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

/** Whole lines, as many as there is room for, and how many more there are. */
function bounded(lines: readonly string[]): string[] {
  let room = LONGEST_MESSAGE;
  const kept = lines.filter((line) => (room -= line.length + 1) >= 0);
  return kept.length === lines.length ? kept : [...kept, `… and ${lines.length - kept.length} more`];
}

function warned(warnings: readonly string[]): { warnings?: string[] } {
  if (warnings.length === 0) return {};
  const cut = warnings.map((warning) =>
    warning.length <= LONGEST_WARNING ? warning : `${warning.slice(0, LONGEST_WARNING - 1)}…`,
  );
  const more = cut.length - MOST_WARNINGS;
  return { warnings: more <= 0 ? cut : [...cut.slice(0, MOST_WARNINGS), `… and ${more} more warnings`] };
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
