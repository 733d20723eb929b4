/*
 * Reads a webhook for "Re-run": a person clicked that button in a forge, on a check run that the notification
 * type hostcheck created. The text of the webhook is untrusted, even with a valid signature. The secret of
 * the webhook belongs to one resource, so the webhook can retry only builds of the pipeline of that resource.
 */

/** Names of the webhook events whose bodies are read. */
const RERUN_EVENTS: ReadonlySet<string> = new Set(['check_run', 'check_suite']);

/**
 * Limit for the body of an event. The summary and the text of a check run have at most 64 KiB each, and are
 * longer in JSON because of escapes.
 */
export const MAX_EVENT_BYTES = 256 * 1024;
/** How deeply the JSON of an event can be nested. */
const MAX_EVENT_DEPTH = 20;
/** An `external_id` of hostcheck is never longer. */
const MAX_EXTERNAL_ID_CHARACTERS = 600;

/**
 * Matches team, pipeline, job and build number, as hostcheck writes them to the `external_id` of a check run.
 */
const EXTERNAL_ID =
  /^([A-Za-z0-9._-]{1,253})\/([A-Za-z0-9._-]{1,253})\/([A-Za-z0-9._-]{1,63})\/([1-9]\d{0,8}(?:\.[1-9]\d{0,8})?)$/;
const LOGIN = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}(?:\[bot\])?$/;

interface ReportedBuild {
  team: string;
  pipeline: string;
  job: string;
  /** Number of the build, `7`, or of a retry, `7.1`. */
  number: string;
}

const PROBLEMS = {
  SignatureMissing: 'A re-run needs a signature. Enter the webhook_secret of the resource in the forge.',
  BodyTooLarge: `The body of the event is larger than ${MAX_EVENT_BYTES} bytes.`,
  BodyInvalid:
    'The body is not the JSON of a check run or check suite. Set the content type of the webhook to application/json.',
  SuiteNotSupported: 'A check suite names no build. Re-run its check runs one by one.',
  NoBuildNamed: 'The external_id of the check run names no build.',
  OtherPipeline: 'The check run belongs to another pipeline than this webhook.',
  BuildUnknown: 'The build of the check run does not exist.',
} as const satisfies Record<string, string>;

export type RerunProblem = keyof typeof PROBLEMS;

export interface RerunRefusal {
  code: RerunProblem;
  message: string;
}

/**
 * What a webhook requests: a re-run of one build, or a re-run that cannot be carried out. `sender`: login of
 * the person in the forge.
 */
export type RerunRequest =
  | { kind: 'rerun'; build: ReportedBuild; sender?: string }
  | { kind: 'problem'; problem: RerunProblem };

export type RerunDecision =
  | { answer: 'retry'; job: string; number: string; sender?: string }
  | { answer: 'refused'; reasons: RerunRefusal[] };

/**
 * Whether `readRerunRequest` needs the body of the webhook. `event`: the name of the event from the header.
 * The signature does not cover the header.
 */
export function isRerunEvent(event: unknown): event is string {
  return typeof event === 'string' && RERUN_EVENTS.has(event);
}

/**
 * What the webhook requests. Undefined: it does not request a re-run, or its signature is invalid. `text`:
 * the body of the webhook; undefined if it is larger than `MAX_EVENT_BYTES`.
 */
export function readRerunRequest(
  event: string,
  signature: 'absent' | 'valid' | 'invalid',
  text: string | undefined,
): RerunRequest | undefined {
  if (!isRerunEvent(event) || signature === 'invalid') return undefined;
  if (signature === 'absent') return problem('SignatureMissing');
  if (text === undefined) return problem('BodyTooLarge');
  const fields = fieldsOf(parseEvent(text));
  if (fields.size === 0) return problem('BodyInvalid');
  if (fields.get('action') !== 'rerequested') return undefined;
  const subject = fieldsOf(fields.get(event));
  if (subject.size === 0) return problem('BodyInvalid');
  return event === 'check_suite'
    ? problem('SuiteNotSupported')
    : readCheckRun(subject, fieldsOf(fields.get('sender')).get('login'));
}

function readCheckRun(subject: ReadonlyMap<string, unknown>, sender: unknown): RerunRequest {
  const build = parseExternalId(subject.get('external_id'));
  if (build === undefined) return problem('NoBuildNamed');
  return { kind: 'rerun', build, ...(typeof sender === 'string' && LOGIN.test(sender) && { sender }) };
}

/**
 * Decides which build to retry, or why none. `owner`: the pipeline of the resource to which the webhook
 * belongs.
 */
export function decideRerun(request: RerunRequest, owner: { team: string; pipeline: string }): RerunDecision {
  if (request.kind === 'problem') return refuseRerun(request.problem);
  const { build, sender } = request;
  if (build.team !== owner.team || build.pipeline !== owner.pipeline) return refuseRerun('OtherPipeline');
  return { answer: 'retry', job: build.job, number: build.number, ...(sender !== undefined && { sender }) };
}

export function refuseRerun(code: RerunProblem): { answer: 'refused'; reasons: RerunRefusal[] } {
  return { answer: 'refused', reasons: [{ code, message: PROBLEMS[code] }] };
}

function parseExternalId(id: unknown): ReportedBuild | undefined {
  if (typeof id !== 'string' || id.length > MAX_EXTERNAL_ID_CHARACTERS) return undefined;
  const [, team, pipeline, job, number] = EXTERNAL_ID.exec(id) ?? [];
  if (team === undefined || pipeline === undefined || job === undefined || number === undefined)
    return undefined;
  return { team, pipeline, job, number };
}

const problem = (code: RerunProblem): RerunRequest => ({ kind: 'problem', problem: code });

/** Undefined: the text is not JSON, or nested too deeply. */
function parseEvent(text: string): unknown {
  if (depthOf(text) > MAX_EVENT_DEPTH) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** How deeply brackets outside of strings are nested. Found in one pass, before anything is parsed. */
function depthOf(text: string): number {
  let [depth, deepest, inString] = [0, 0, false];
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') inString = !inString;
    else if (inString) at += character === '\\' ? 1 : 0;
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

function fieldsOf(value: unknown): ReadonlyMap<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return new Map();
  return new Map(Object.entries(value));
}
