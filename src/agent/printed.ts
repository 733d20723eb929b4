import type { StepEnded } from '#domain/build/events.ts';
import { expandValues } from '#domain/build/expand-references.ts';
import { parsePushOutput } from '#domain/build/parse-check-output.ts';
import { MAX_PROTOCOL_BYTES, parseProtocolResult } from '#domain/build/parse-protocol-output.ts';
import type { PlanStep } from '#domain/planning/plan.ts';
import { Head, Tail } from './capture.ts';

const PUSH_TAIL_BYTES = 64 * 1024;

/** The version that the step made, or why the step fails although its command succeeded. */
type PrintedResult = { made: Pick<StepEnded, 'version' | 'metadata'>; note?: string } | { problem: string };

/**
 * The part of a step's standard output that decides how the step ends: the version and metadata it prints.
 */
export class Printed {
  /** True: the standard output is data for Millrace, not a part of the log. */
  readonly isData: boolean;
  readonly #step: PlanStep;
  readonly #head = new Head(MAX_PROTOCOL_BYTES);
  readonly #tail = new Tail(PUSH_TAIL_BYTES);

  constructor(step: PlanStep) {
    this.#step = step;
    this.isData = step.call !== undefined;
  }

  write(bytes: Buffer): void {
    if (this.isData) this.#head.write(bytes);
    else if (this.#step.kind === 'put') this.#tail.write(bytes);
  }

  /**
   * Returns the version and the metadata that the command printed. A put whose output is part of the log may
   * print no version: then its params are the version, with the values of `variables` for references.
   * Versions are masked, because people see them.
   */
  read(mask: (text: string) => string, variables: Readonly<Record<string, string>>): PrintedResult {
    const { kind, params = {} } = this.#step;
    if (this.isData) return this.#readResult(mask);
    if (kind !== 'put') return { made: {} };
    const version = parsePushOutput(this.#tail.text()) ?? expandValues(params, variables);
    return { made: { version: maskFields(version, mask) } };
  }

  #readResult(mask: (text: string) => string): PrintedResult {
    const isPut = this.#step.kind === 'put';
    const program = isPut ? 'out' : 'in';
    if (this.#head.overflowed)
      return { problem: `${program} printed more than ${MAX_PROTOCOL_BYTES} bytes.` };
    const output = parseProtocolResult(program, this.#head.text(), mask);
    if (!output.ok) return { problem: output.error };
    const { version, metadata, cut } = output.result;
    const made = {
      ...(isPut && version && { version: maskFields(version, mask) }),
      ...(metadata.length > 0 && { metadata }),
    };
    return { made, ...(cut && { note: 'some of its metadata is left out' }) };
  }
}

function maskFields(fields: Record<string, string>, mask: (text: string) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [mask(key), mask(value)]));
}
