import { closeSync, constants, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { MAX_TERMINATION_BYTES, type StepStatus, type TerminationMessage } from '#domain/build/events.ts';

/** How a step ended, and the sequence number of its `step-ended` event. */
export interface StepEnd {
  step: string;
  sequence: number;
  exitCode: number | null;
  status: StepStatus;
  /** The version of a successful put. */
  version?: Record<string, string>;
}

export interface Termination extends Pick<TerminationMessage, 'outcome' | 'reason' | 'message'> {
  ends: StepEnd[];
  /** The gateway has acknowledged all events up to this sequence number. */
  acknowledgedSequence: number;
}

/**
 * Writes the termination message where the kubelet reads it. Ignores errors, because the message is a
 * fallback.
 */
export function writeTermination(path: string, termination: Termination): void {
  try {
    replaceText(path, encodeTermination(termination));
  } catch {
    // Without the message, the operator uses the events that the gateway has, or judges the end of the Pod.
  }
}

/**
 * The file is a mount and cannot be replaced by a rename. One write replaces the old text by the new one,
 * padded with spaces if it is shorter; then the file is truncated. A kill in between leaves the old or the
 * new text.
 */
function replaceText(path: string, text: string): void {
  const file = openSync(path, constants.O_WRONLY | constants.O_CREAT, 0o644);
  try {
    const bytes = Buffer.from(text);
    const padded = Buffer.alloc(Math.max(bytes.length, fstatSync(file).size), ' ');
    bytes.copy(padded);
    writeSync(file, padded, 0, padded.length, 0);
    ftruncateSync(file, bytes.length);
  } finally {
    closeSync(file);
  }
}

/**
 * Returns the termination message as JSON. If it exceeds the limit of Kubernetes, leaves out in this order,
 * until it fits: the steps whose ends are acknowledged, the end of the sentence or all of it, versions (the
 * largest first), and all steps.
 */
export function encodeTermination({ ends, ...termination }: Termination): string {
  const whole = JSON.stringify(messageOf(termination, ends));
  if (Buffer.byteLength(whole) <= MAX_TERMINATION_BYTES) return whole;
  const unacknowledged = ends.filter((end) => end.sequence > termination.acknowledgedSequence);
  const versions = unacknowledged
    .filter((end) => end.version !== undefined)
    .toSorted((a, b) => sizeOf(b) - sizeOf(a));
  for (let droppedVersions = 0; droppedVersions <= versions.length; droppedVersions += 1) {
    const text = withSentence(messageOf(termination, unacknowledged, versions.slice(0, droppedVersions)));
    if (text !== undefined) return text;
  }
  return withSentence(messageOf(termination, [])) ?? '';
}

function messageOf(
  { acknowledgedSequence, ...termination }: Omit<Termination, 'ends'>,
  ends: StepEnd[],
  droppedVersions: StepEnd[] = [],
): TerminationMessage {
  const statuses = ends.flatMap(({ step, status }) =>
    status === 'succeeded' ? [] : [[step, status] as const],
  );
  const versions = ends.flatMap((end) => {
    const { step, sequence, version } = end;
    const isReported = sequence > acknowledgedSequence && !droppedVersions.includes(end);
    return isReported && version !== undefined ? [[step, version] as const] : [];
  });
  return {
    format: 1,
    ...termination,
    acknowledged: acknowledgedSequence,
    exits: Object.fromEntries(ends.map(({ step, exitCode }) => [step, exitCode])),
    ...(statuses.length === 0 ? {} : { statuses: Object.fromEntries(statuses) }),
    ...(versions.length === 0 ? {} : { versions: Object.fromEntries(versions) }),
  };
}

function sizeOf({ version }: StepEnd): number {
  return Buffer.byteLength(JSON.stringify(version ?? {}));
}

/**
 * The message as JSON with as much of its sentence as fits; undefined if it is too long without a sentence.
 */
function withSentence(message: TerminationMessage): string | undefined {
  const spare = MAX_TERMINATION_BYTES - Buffer.byteLength(JSON.stringify({ ...message, message: '' }));
  if (spare < 0) return undefined;
  for (let length = Math.min(spare, message.message.length); ; length = Math.floor(length * 0.8)) {
    const shorter = JSON.stringify({ ...message, message: message.message.slice(0, length).toWellFormed() });
    if (length === 0 || Buffer.byteLength(shorter) <= MAX_TERMINATION_BYTES) return shorter;
  }
}
