import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { defined } from '#defined';
import { verbOf } from '#testing/cli/verbs.ts';
import { tlsInFront } from '#testing/network/tls-in-front.ts';
import { BUILT_PROGRAM } from '#testing/process/built-program.ts';
import { typeInto } from '#testing/process/type-into.ts';
import { runProgram, type Finished } from './command.ts';
import { baseUrl } from './gateway.ts';

/** A person's folder with the built program, which reaches the cluster's gateway over HTTPS. */
export class CommandLine {
  /** The paths of the verbs that `millrace` and `type` ran, such as `builds watch`. */
  readonly usedVerbs = new Set<string>();
  readonly url: string;
  readonly folder: string;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #stop: () => Promise<void>;

  private constructor(url: string, folder: string, stop: () => Promise<void>) {
    this.url = url;
    this.folder = folder;
    this.#stop = stop;
    this.#environment = {
      PATH: [join(folder, 'bin'), process.env['PATH']].join(delimiter),
      HOME: folder,
      XDG_CONFIG_HOME: join(folder, 'config'),
      MILLRACE_CA_FILE: join(folder, 'ca.pem'),
      // Overrides the value that Jest sets in its workers.
      FORCE_COLOR: '0',
    };
  }

  /**
   * Starts a TLS proxy in front of the gateway, because the program sends tokens only over HTTPS or to this
   * machine.
   */
  static async open(): Promise<CommandLine> {
    const folder = await mkdtemp(join(tmpdir(), 'millrace-command-line-'));
    const front = await tlsInFront(await baseUrl());
    const cli = new CommandLine(`https://127.0.0.1:${front.port}`, folder, () => front.close());
    await mkdir(join(folder, 'bin'));
    await cli.write('ca.pem', front.cert);
    await cli.install('millrace', `exec '${process.execPath}' '${BUILT_PROGRAM}' "$@"`);
    return cli;
  }

  async close(): Promise<void> {
    await this.#stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  async write(name: string, text: string): Promise<void> {
    await writeFile(join(this.folder, name), text);
  }

  async read(name: string): Promise<string> {
    return await readFile(join(this.folder, name), 'utf8');
  }

  /** Puts a shell script on the PATH as a program. */
  async install(name: string, script: string): Promise<void> {
    const file = join(this.folder, 'bin', name);
    await writeFile(file, `#!/bin/sh\n${script}\n`);
    await chmod(file, 0o755);
  }

  /** Runs the program with the words of a line, which single spaces separate, or with separate words. */
  async millrace(line: string | readonly string[], options: CallOptions = {}): Promise<Finished> {
    const words = typeof line === 'string' ? line.split(' ') : [...line];
    this.usedVerbs.add(verbOf(words));
    return await runProgram('millrace', words, this.#options(options));
  }

  /** Runs a line in bash. */
  async shell(line: string, options: CallOptions = {}): Promise<Finished> {
    return await runProgram('bash', ['-c', `set -euo pipefail; ${line}`], this.#options(options));
  }

  /**
   * Runs a line, which begins with the name of the program, at a terminal. Types the answers and returns the
   * screen. Throws if the program fails.
   */
  async type(line: string, answers: Parameters<typeof typeInto>[1]): Promise<string> {
    this.usedVerbs.add(verbOf(line.split(' ').slice(1)));
    return await typeInto(line, answers, this.#environment);
  }

  #options({ input, environment }: CallOptions) {
    return { cwd: this.folder, env: { ...this.#environment, ...environment }, ...defined({ input }) };
  }
}

interface CallOptions {
  input?: string;
  environment?: Record<string, string>;
}
