import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { Log } from '#adapters/telemetry/log.ts';
import type { ObserveRequest } from '#adapters/telemetry/metrics.ts';
import { pathWithoutQuery, sendPlainly } from '#adapters/telemetry/plain-response.ts';
import { createFairPool } from '#domain/scheduling/fair-pool.ts';
import type { ManifestDiagnosis, ManifestText } from '#flows/pipelines/diagnose-manifest.ts';
import { answerTo, readReview, type AdmissionVerdict, type Review } from './review.ts';

export const ADMISSION_PATH = '/validate-pipeline';

/**
 * A review contains the object and its previous version, which have at most 3 MiB each, and some more fields.
 */
const MAX_BODY_BYTES = 8 * 1024 * 1024;
const MAX_CONCURRENT = 16;
/**
 * Less than the three seconds (`timeoutSeconds` in the chart) after which the API server admits the manifest
 * without a warning.
 */
const MAX_REVIEW_MS = 2500;

export type ReviewResult = 'allowed' | 'refused' | 'unchecked';

export interface AdmissionServerParts {
  diagnose: (manifest: ManifestText, namespace: string) => Promise<ManifestDiagnosis>;
  log: Log;
  /** Called with the result of each review, for metrics. */
  reviewed?: (result: ReviewResult) => void;
  observe?: ObserveRequest;
  /** How long one review may take, in milliseconds. */
  maxReviewMs?: number;
  /** Once true, each response closes its connection, so that the API server connects to another replica. */
  draining?: () => boolean;
}

/**
 * Creates the HTTPS server that the API server calls to review Pipelines. Before it can answer, it needs a
 * certificate (`setSecureContext`). A manifest whose check fails or takes too long is admitted with a
 * warning. The condition Ready of the Pipeline then reports whether the manifest is valid.
 */
export function createAdmissionServer({ diagnose, ...parts }: AdmissionServerParts): Server {
  const answerParts = { ...parts, diagnose: oneAtATime(diagnose) };
  let runningReviews = 0;
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
      const refusal = refusalOf(request, runningReviews);
      if (refusal !== undefined) return refuse(response, refusal);
      runningReviews += 1;
      answer(request, response, answerParts)
        .catch((error: unknown) => {
          // The client disconnected before its request was complete.
          if (request.destroyed && !request.complete) return;
          parts.log.error({ err: error }, 'a review could not be answered');
          refuse(response, { status: 500, reason: 'failed' });
        })
        .finally(() => {
          runningReviews -= 1;
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

function refusalOf(request: IncomingMessage, runningReviews: number): Refusal | undefined {
  if (pathWithoutQuery(request) !== ADMISSION_PATH) return { status: 404, reason: 'not found' };
  if (request.method !== 'POST') return { status: 405, reason: 'send POST' };
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? ''))
    return { status: 415, reason: 'send application/json' };
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) return TOO_LARGE;
  return runningReviews < MAX_CONCURRENT ? undefined : { status: 503, reason: 'the server is overloaded' };
}

const TOO_LARGE: Refusal = { status: 413, reason: 'the body is too large' };

type Diagnose = AdmissionServerParts['diagnose'];

/**
 * Returns a function that diagnoses one manifest at a time, so that many reviews do not hold up the
 * reconciler in the same process. It skips a manifest whose review has timed out. Namespaces take turns.
 */
function oneAtATime(
  diagnose: Diagnose,
): (manifest: ManifestText, namespace: string, timedOut: AbortSignal) => Promise<AdmissionVerdict> {
  const turns = createFairPool(['the only one']);
  return async (manifest, namespace, timedOut) => {
    const turn = await turns.acquire(namespace);
    try {
      return timedOut.aborted ? { unchecked: NOT_CHECKED_IN_TIME } : await diagnose(manifest, namespace);
    } finally {
      turns.release(turn);
    }
  };
}

type AnswerParts = Omit<AdmissionServerParts, 'diagnose'> & { diagnose: ReturnType<typeof oneAtATime> };

async function answer(request: IncomingMessage, response: ServerResponse, parts: AnswerParts): Promise<void> {
  const started = performance.now();
  const body = await readBody(request);
  if (body === undefined) return refuse(response, TOO_LARGE);
  const review = readReview(parseJson(body));
  if (review === undefined) {
    return refuse(response, { status: 400, reason: 'this is not an AdmissionReview of a Pipeline' });
  }
  const { maxReviewMs = MAX_REVIEW_MS } = parts;
  const verdict = await judgeReview(review, parts, maxReviewMs - (performance.now() - started));
  parts.reviewed?.(resultOf(verdict));
  sendPlainly(response, 200, JSON.stringify(answerTo(review, verdict)), 'application/json');
}

/** Returns undefined if the body is too large. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function judgeReview(
  { manifest, namespace, name }: Review,
  { diagnose, log }: AnswerParts,
  milliseconds: number,
): Promise<AdmissionVerdict> {
  if (manifest === undefined) return { errors: [], warnings: [] };
  const { promise, resolve } = Promise.withResolvers<AdmissionVerdict>();
  const timedOut = new AbortController();
  const timer = setTimeout(() => {
    timedOut.abort();
    resolve({ unchecked: NOT_CHECKED_IN_TIME });
  }, milliseconds);
  try {
    return await Promise.race([diagnose(manifest, namespace, timedOut.signal), promise]);
  } catch (error) {
    log.error({ err: error, namespace, pipeline: name }, 'a Pipeline could not be checked');
    return { unchecked: CHECK_FAILED };
  } finally {
    clearTimeout(timer);
  }
}

const NOT_CHECKED_IN_TIME =
  'spec.config could not be checked in time: the condition Ready will report whether it is valid';
const CHECK_FAILED =
  'spec.config could not be checked now: the condition Ready will report whether it is valid';

function resultOf(verdict: AdmissionVerdict): ReviewResult {
  if ('unchecked' in verdict) return 'unchecked';
  return verdict.errors.length === 0 ? 'allowed' : 'refused';
}

function refuse(response: ServerResponse, { status, reason }: Refusal): void {
  if (response.headersSent) return;
  // A part of the body may be unread. Then the connection cannot take another request.
  response.setHeader('connection', 'close');
  if (status === 405) response.setHeader('allow', 'POST');
  sendPlainly(response, status, `${reason}\n`);
}
