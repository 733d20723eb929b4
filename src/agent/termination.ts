import { closeSync, constants, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { TERMINATION_LIMIT, type StepStatus, type TerminationMessage } from '#domain/build/events.ts';

/** How a step ended, and under which number the gateway is told so. */
export interface StepEnd {
  step: string;
  sequence: number;
  exitCode: number | null;
  status: StepStatus;
  /** Of a put that succeeded. */
  version?: Record<string, string>;
}

export interface LastWords extends Pick<TerminationMessage, 'outcome' | 'reason' | 'message'> {
  ends: StepEnd[];
  acknowledged: number;
}

/** Leaves the last words where the kubelet finds them; a Pod without that file changes nothing. */
export function writeTermination(path: string, words: LastWords): void {
  try {
    replaceText(path, encodeTermination(words));
  } catch {
    // The gateway has the same news, or the operator will judge by the Pod.
  }
}

/**
 * The file is mounted and cannot be renamed over. One write covers what was there before, with spaces at its
 * end, and only then is it made shorter: whoever is killed in between leaves the old words or the new ones,
 * never none.
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
 * Fits the limit by giving up, in this order: steps whose ends the gateway knows, the sentence, versions, the
 * largest first, and all that is told of steps. What is missing proves nothing.
 */
export function encodeTermination({ ends, ...words }: LastWords): string {
  const whole = JSON.stringify(messageOf(words, ends));
  if (Buffer.byteLength(whole) <= TERMINATION_LIMIT) return whole;
  const unheard = ends.filter((end) => end.sequence > words.acknowledged);
  const versions = unheard
    .filter((end) => end.version !== undefined)
    .toSorted((a, b) => sizeOf(b) - sizeOf(a));
  for (let without = 0; without <= versions.length; without += 1) {
    const text = withSentence(messageOf(words, unheard, versions.slice(0, without)));
    if (text !== undefined) return text;
  }
  return withSentence(messageOf(words, [])) ?? '';
}

function messageOf(
  words: Omit<LastWords, 'ends'>,
  ends: StepEnd[],
  without: StepEnd[] = [],
): TerminationMessage {
  const statuses = ends.flatMap(({ step, status }) =>
    status === 'succeeded' ? [] : [[step, status] as const],
  );
  const versions = ends.flatMap((end) => {
    const { step, sequence, version } = end;
    const told = sequence > words.acknowledged && !without.includes(end);
    return told && version !== undefined ? [[step, version] as const] : [];
  });
  return {
    format: 1,
    ...words,
    exits: Object.fromEntries(ends.map(({ step, exitCode }) => [step, exitCode])),
    ...(statuses.length === 0 ? {} : { statuses: Object.fromEntries(statuses) }),
    ...(versions.length === 0 ? {} : { versions: Object.fromEntries(versions) }),
  };
}

function sizeOf({ version }: StepEnd): number {
  return Buffer.byteLength(JSON.stringify(version ?? {}));
}

/** With as much of the sentence as there is room for; undefined: without any it is too long. */
function withSentence(message: TerminationMessage): string | undefined {
  const spare = TERMINATION_LIMIT - Buffer.byteLength(JSON.stringify({ ...message, message: '' }));
  if (spare < 0) return undefined;
  for (let length = Math.min(spare, message.message.length); ; length = Math.floor(length * 0.8)) {
    const shorter = JSON.stringify({ ...message, message: message.message.slice(0, length).toWellFormed() });
    if (length === 0 || Buffer.byteLength(shorter) <= TERMINATION_LIMIT) return shorter;
  }
}
