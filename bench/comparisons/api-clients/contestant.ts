import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { build } from 'esbuild';
import { memoryOf } from '#bench/process-cost.ts';
import type { Report, Task } from './calls.ts';

/** The program of a contestant and how to start it. */
export interface ContestantProgram {
  name: string;
  /** Name of its file in `contestants/`. */
  file: string;
  args?: string[];
}

/** Bundled CommonJS packages call `require`, which ES modules do not have. */
const REQUIRE =
  "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

/**
 * Bundles the programs with their packages, as a release does, so code that esbuild can drop costs nothing.
 */
export async function bundle(files: string[], folder: string): Promise<void> {
  await build({
    entryPoints: files.map((file) => join(import.meta.dirname, 'contestants', file)),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    minifyWhitespace: true,
    minifySyntax: true,
    banner: { js: REQUIRE },
    outdir: join(folder, 'programs'),
    outExtension: { '.js': '.mjs' },
    logLevel: 'error',
  });
}

const programAt = (folder: string, { file }: ContestantProgram): string =>
  join(folder, 'programs', file.replace(/\.ts$/, '.mjs'));

export const bundledBytes = (folder: string, program: ContestantProgram): number =>
  statSync(programAt(folder, program)).size;

/** A measured program in a process of its own. It performs tasks with its client. */
export class Contestant {
  readonly name: string;
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #pending = new Map<number, (report: Report) => void>();
  #lastId = 0;

  private constructor(program: ContestantProgram, folder: string, ports: { real: string; faulty: string }) {
    this.name = program.name;
    this.#child = spawn(process.execPath, [programAt(folder, program), ...(program.args ?? [])], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { MEASURE_FOLDER: folder, MEASURE_PORT: ports.real, MEASURE_FAULTY_PORT: ports.faulty },
    });
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      const report: Report = JSON.parse(line);
      this.#pending.get(report.id)?.(report);
      this.#pending.delete(report.id);
    });
  }

  /** Starts a program and waits until it is loaded. `ms`: how long that took. */
  static async start(
    program: ContestantProgram,
    folder: string,
    ports: { real: string; faulty: string },
  ): Promise<{ contestant: Contestant; ms: number }> {
    const startedAt = performance.now();
    const contestant = new Contestant(program, folder, ports);
    // A program sends a report with the id 0 when it is loaded.
    await new Promise((resolve) => contestant.#pending.set(0, resolve));
    return { contestant, ms: performance.now() - startedAt };
  }

  perform(task: Omit<Task, 'id'>): Promise<Report> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve) => {
      this.#pending.set(id, resolve);
      this.#child.stdin.write(`${JSON.stringify({ ...task, id })}\n`);
    });
  }

  /** Resident memory in MiB: now, and its peak so far. */
  memory(): { now: number; peak: number } {
    return memoryOf(this.#child.pid ?? 0);
  }

  async end(): Promise<void> {
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
  }
}
