import { execFile, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { explain } from '#cli/explain.ts';
import { CommandError } from '#cli/terminal.ts';
import type { ImageConfiguration } from '#domain/planning/entrypoint.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

const run = promisify(execFile);
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

/** The engines to look for on PATH, in this order. */
const ENGINES = ['docker', 'podman'];

export interface Image {
  /** In the spelling of image manifests: `amd64`. */
  architecture: string;
  configuration: ImageConfiguration;
}

/** A program with the command line of docker. */
export class Engine {
  readonly program: string;
  readonly environment: Environment;

  constructor(program: string, environment: Environment) {
    this.program = program;
    this.environment = environment;
  }

  /** Pulls the image if it is not on this machine. */
  async prepare(image: string, note: (line: string) => void, stop: AbortSignal): Promise<Image> {
    const local = await this.#inspect(image);
    if (local !== undefined) return local;
    note(`pulling ${image}`);
    await this.#pull(image, stop);
    const pulled = await this.#inspect(image);
    if (pulled === undefined)
      throw new CommandError(`${this.program} does not know ${image} after pulling it`);
    return pulled;
  }

  /** Kills and removes containers that did not end by themselves. Ignores failures. */
  async remove(names: readonly string[]): Promise<void> {
    if (names.length === 0) return;
    await run(this.program, ['rm', '--force', ...names], { env: this.environment }).catch(() => undefined);
  }

  async #inspect(image: string): Promise<Image | undefined> {
    try {
      const { stdout } = await run(this.program, ['image', 'inspect', image], {
        env: this.environment,
        maxBuffer: MAX_OUTPUT_BYTES,
      });
      return readImage(JSON.parse(stdout));
    } catch (error) {
      // A numeric code is an exit code: the program ran, and does not have the image.
      if (Error.isError(error) && 'code' in error && typeof error.code === 'number') return undefined;
      throw new CommandError(`${this.program} cannot be run: ${explain(error)}`);
    }
  }

  async #pull(image: string, stop: AbortSignal): Promise<void> {
    const child = spawn(this.program, ['pull', '--quiet', image], {
      env: this.environment,
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
      signal: stop,
    });
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (errors = `${errors}${text}`.slice(-2000)));
    const code = await new Promise<number | null>((resolve) => {
      child.once('error', () => resolve(null));
      child.once('close', resolve);
    });
    if (code !== 0) throw new CommandError(`${this.program} cannot pull ${image}: ${errors.trim()}`);
  }
}

interface Inspected {
  Architecture?: string;
  Config?: { Entrypoint?: string[] | null; Cmd?: string[] | null; WorkingDir?: string } | null;
}

function readImage([image]: Inspected[]): Image {
  const { Entrypoint, Cmd, WorkingDir } = image?.Config ?? {};
  return {
    architecture: image?.Architecture ?? '',
    configuration: {
      entrypoint: Entrypoint ?? [],
      cmd: Cmd ?? [],
      ...(WorkingDir !== undefined && WorkingDir !== '' && { workingDir: WorkingDir }),
    },
  };
}

/** The named program, or the first engine on PATH. */
export function chooseEngine(
  named: string | undefined,
  environment: Environment,
  images: readonly string[],
): Engine {
  if (named !== undefined) return new Engine(named, environment);
  const program = ENGINES.find((candidate) => isOnPath(candidate, environment));
  if (program !== undefined) return new Engine(program, environment);
  throw new CommandError(
    `the job needs containers (${images.join(', ')}): install docker or podman, or name one with --engine`,
  );
}

function isOnPath(program: string, { PATH = '' }: Environment): boolean {
  return PATH.split(':').some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return folder !== '';
    } catch {
      return false;
    }
  });
}
