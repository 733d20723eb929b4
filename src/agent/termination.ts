import { writeFileSync } from 'node:fs';
import type { TerminationMessage } from '#domain/build/events.ts';

const LIMIT = 4096;

/** Leaves the last words where the kubelet finds them; a Pod without that file changes nothing. */
export function writeTermination(path: string, message: TerminationMessage): void {
  try {
    writeFileSync(path, encodeTermination(message));
  } catch {
    // The gateway has the same news, or the operator will judge by the Pod.
  }
}

/** Fits the limit by giving up the sentence first and then the exits; without exits it proves no success. */
export function encodeTermination(message: TerminationMessage): string {
  const whole = JSON.stringify(message);
  if (Buffer.byteLength(whole) <= LIMIT) return whole;
  const spare = LIMIT - Buffer.byteLength(JSON.stringify({ ...message, message: '' }));
  if (spare >= 0) {
    for (let length = Math.min(spare, message.message.length); ; length = Math.floor(length * 0.8)) {
      const shorter = JSON.stringify({
        ...message,
        message: message.message.slice(0, length).toWellFormed(),
      });
      if (length === 0 || Buffer.byteLength(shorter) <= LIMIT) return shorter;
    }
  }
  return JSON.stringify({ ...message, message: '', exits: {} });
}
