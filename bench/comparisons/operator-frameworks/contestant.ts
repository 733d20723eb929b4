import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import { defined } from '#defined';
import type { ContestantReport } from './reports.ts';
import type { ThrowAwayServer } from './server.ts';

/** The program of a contestant and how to start it. */
export interface ContestantProgram {
  name: string;
  /** Name of its file in `contestants/`. */
  file: string;
  args?: string[];
  /** Folder of its packages. Absent: it uses those of the project. */
  packages?: string;
}

/** Bundles the programs, so no process loads TypeScript at run time; packages stay external. */
export async function bundle(files: string[], folder: string): Promise<void> {
  await build({
    entryPoints: files.map((file) => join(import.meta.dirname, 'contestants', file)),
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    outdir: join(folder, 'programs'),
    outExtension: { '.js': '.mjs' },
    logLevel: 'warning',
  });
  symlinkSync(join(import.meta.dirname, '../../../node_modules'), join(folder, 'node_modules'));
}

const POLL_MS = 20;

/** A contestant in a separate process. */
export class Contestant {
  readonly name: string;
  readonly reports: ContestantReport[] = [];
  readonly #child: ChildProcess;

  constructor(program: ContestantProgram, server: ThrowAwayServer, folder: string) {
    this.name = program.name;
    const errors = openSync(join(folder, `${program.name.replace(/\W+/g, '-')}.log`), 'a');
    const path = join(folder, 'programs', program.file.replace(/\.ts$/, '.mjs'));
    this.#child = spawn(process.execPath, [path, ...(program.args ?? [])], {
      stdio: ['ignore', 'pipe', errors],
      env: {
        PATH: process.env['PATH'] ?? '',
        KUBECONFIG: server.kubeconfig,
        MEASURE_FOLDER: folder,
        MEASURE_PORT: server.address.port,
        ...defined({ MEASURE_PACKAGES: program.packages }),
      },
    });
    closeSync(errors);
    if (this.#child.stdout === null) throw new Error('The contestant has no standard output.');
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      const report: ContestantReport = JSON.parse(line);
      this.reports.push(report);
    });
  }

  get alive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** The first report that matches; undefined after `ms` milliseconds. */
  async waitForReport(
    matches: (report: ContestantReport) => boolean,
    ms: number,
  ): Promise<ContestantReport | undefined> {
    const end = performance.now() + ms;
    for (;;) {
      const found = this.reports.find(matches);
      if (found !== undefined || performance.now() > end) return found;
      await sleep(POLL_MS);
    }
  }

  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    if (this.alive) this.#child.kill(name);
  }

  /** Resident memory in MiB. */
  memory(): number {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
  }

  async end(): Promise<void> {
    if (!this.alive) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
  }
}
