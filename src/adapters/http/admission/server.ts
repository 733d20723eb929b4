import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { Log } from '#adapters/telemetry/log.ts';
import type { ObserveRequest } from '#adapters/telemetry/metrics.ts';
import { pathWithoutQuery, sendPlainly } from '#adapters/telemetry/plain-response.ts';
import { createFairPool } from '#domain/scheduling/fair-pool.ts';
import type { ManifestDiagnosis, ManifestText } from '#flows/pipelines/diagnose-manifest.ts';
import { answerTo, readReview, type AdmissionVerdict, type Review } from './review.ts';

export const ADMISSION_PATH = '/validate-pipeline';

/** Bytes: the object and its previous version, at most 3 MiB each, and the rest of the review. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;
const MAX_CONCURRENT = 16;
/** The API server waits three seconds (`timeoutSeconds` in the chart), then admits the manifest silently. */
const MAX_REVIEW_MS = 2500;

export type ReviewResult = 'allowed' | 'refused' | 'unchecked';

export interface AdmissionServerParts {
  diagnose: (manifest: ManifestText, namespace: string) => Promise<ManifestDiagnosis>;
  log: Log;
  reviewed?: (result: ReviewResult) => void;
  observe?: ObserveRequest;
  /** How long one review may take, in milliseconds. */
  maxReviewMs?: number;
  /** Once true, each response closes its connection, so that the API server connects to another replica. */
  draining?: () => boolean;
}

/**
 * Creates the TLS listener that the API server asks about Pipelines. It needs a certificate
 * (`setSecureContext`) before it can answer. If a check fails for another reason, the manifest is admitted:
 * its condition reports later what is wrong.
 */
export function createAdmissionServer({ diagnose, ...parts }: AdmissionServerParts): Server {
  const inTurn = { ...parts, diagnose: oneAtATime(diagnose) };
  let current = 0;
  const server = createServer(
    { minVersion: 'TLSv1.3', ALPNProtocols: ['http/1.1'], maxHeaderSize: 16 * 1024 },
    (request, response) => {
      const started = performance.now();
      response.on('finish', () => {
        const { statusCode: status } = response;
        const route = pathWithoutQuery(request) === ADMISSION_PATH ? ADMISSION_PATH : 'none';
        const seconds = (performance.now() - started) / 1000;
        parts.observe?.({ method: request.method ?? '', route, status, seconds });
      });
      if (parts.draining?.() === true) response.setHeader('connection', 'close');
      const refusal = refusalOf(request, current);
      if (refusal !== undefined) return refuse(response, refusal);
      current += 1;
      answer(request, response, inTurn)
        .catch((error: unknown) => {
          // The client went away in the middle of its request.
          if (request.destroyed && !request.complete) return;
          parts.log.error({ err: error }, 'a review could not be answered');
          refuse(response, { status: 500, reason: 'failed' });
        })
        .finally(() => {
          current -= 1;
        });
    },
  );
  server.maxConnections = 256;
  server.requestTimeout = 10_000;
  server.headersTimeout = 10_000;
  server.keepAliveTimeout = 120_000;
  return server;
}

interface Refusal {
  status: number;
  reason: string;
}

function refusalOf(request: IncomingMessage, current: number): Refusal | undefined {
  if (pathWithoutQuery(request) !== ADMISSION_PATH) return { status: 404, reason: 'not found' };
  if (request.method !== 'POST') return { status: 405, reason: 'send POST' };
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? ''))
    return { status: 415, reason: 'send application/json' };
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) return TOO_LARGE;
  return current < MAX_CONCURRENT ? undefined : { status: 503, reason: 'the server is overloaded' };
}

const TOO_LARGE: Refusal = { status: 413, reason: 'the body is too large' };

type Diagnose = AdmissionServerParts['diagnose'];

/**
 * Diagnoses one manifest at a time, and skips those that have timed out, so that many requests do not hold up
 * the reconciler. Namespaces take turns.
 */
function oneAtATime(
  diagnose: Diagnose,
): (manifest: ManifestText, namespace: string, late: AbortSignal) => Promise<AdmissionVerdict> {
  const seats = createFairPool(['the only one']);
  return async (manifest, namespace, late) => {
    const seat = await seats.acquire(namespace);
    try {
      return late.aborted ? { unchecked: NOT_IN_TIME } : await diagnose(manifest, namespace);
    } finally {
      seats.release(seat);
    }
  };
}

type InTurn = Omit<AdmissionServerParts, 'diagnose'> & { diagnose: ReturnType<typeof oneAtATime> };

async function answer(request: IncomingMessage, response: ServerResponse, parts: InTurn): Promise<void> {
  const started = performance.now();
  const body = await bodyOf(request);
  if (body === undefined) return refuse(response, TOO_LARGE);
  const review = readReview(parsed(body));
  if (review === undefined) {
    return refuse(response, { status: 400, reason: 'this is not an AdmissionReview of a Pipeline' });
  }
  const { maxReviewMs = MAX_REVIEW_MS } = parts;
  const verdict = await verdictOn(review, parts, maxReviewMs - (performance.now() - started));
  parts.reviewed?.(resultOf(verdict));
  sendPlainly(response, 200, JSON.stringify(answerTo(review, verdict)), 'application/json');
}

/** Undefined if the body is too large. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    length += bytes.length;
    if (length > MAX_BODY_BYTES) return undefined;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function verdictOn(
  { manifest, namespace, name }: Review,
  { diagnose, log }: InTurn,
  milliseconds: number,
): Promise<AdmissionVerdict> {
  if (manifest === undefined) return { errors: [], warnings: [] };
  const { promise, resolve } = Promise.withResolvers<AdmissionVerdict>();
  const late = new AbortController();
  const timer = setTimeout(() => {
    late.abort();
    resolve({ unchecked: NOT_IN_TIME });
  }, milliseconds);
  try {
    return await Promise.race([diagnose(manifest, namespace, late.signal), promise]);
  } catch (error) {
    log.error({ err: error, namespace, pipeline: name }, 'a Pipeline could not be checked');
    return { unchecked: NOT_NOW };
  } finally {
    clearTimeout(timer);
  }
}

const NOT_IN_TIME =
  'spec.config could not be checked in time: the condition Ready will report whether it is valid';
const NOT_NOW = 'spec.config could not be checked now: the condition Ready will report whether it is valid';

function resultOf(verdict: AdmissionVerdict): ReviewResult {
  if ('unchecked' in verdict) return 'unchecked';
  return verdict.errors.length === 0 ? 'allowed' : 'refused';
}

function refuse(response: ServerResponse, { status, reason }: Refusal): void {
  if (response.headersSent) return;
  // The rest of the body is not read.
  response.setHeader('connection', 'close');
  if (status === 405) response.setHeader('allow', 'POST');
  sendPlainly(response, status, `${reason}\n`);
}
