import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { shimKey } from '#adapters/process/sealed-frames.ts';
import type { ShimConnection } from '#adapters/process/shim-connection.ts';
import { ShimServer } from '#adapters/process/shim-server.ts';
import { CommandError } from '#cli/terminal.ts';
import type { PlanContainer } from '#domain/planning/plan.ts';
import { engineArguments } from './engine-arguments.ts';
import type { Engine, Environment, Image } from './engine.ts';
import { findShim } from './find-shim.ts';
import type { RunFolders } from './folders.ts';
import { hostEnvironment } from './host-environment.ts';

/** How long the shims of all containers may take to connect. */
const GATHER_LIMIT_MS = 60_000;
/** How long containers may take to end before they are killed. */
const END_LIMIT_MS = 5000;
const MAX_MESSAGE_CHARACTERS = 2000;

/** What this machine offers to containers. */
export interface LocalMachine {
  folders: RunFolders;
  environment: Environment;
  /** Absent: no container has an image. */
  engine?: Engine;
  /** Images by name. */
  images: ReadonlyMap<string, Image>;
}

/**
 * The containers of a plan on this machine, each with the shim that the agent drives. A container with an
 * image runs in the engine; the others are processes.
 */
export class Containers {
  /** Filled by `open`. */
  shims = new Map<string, ShimConnection>();
  readonly #engine: Engine | undefined;
  readonly #children: Child[] = [];
  readonly #server: ShimServer;
  readonly #closed = new AbortController();

  private constructor(server: ShimServer, engine: Engine | undefined) {
    this.#server = server;
    this.#engine = engine;
  }

  /** Resolves when every shim is connected. */
  static async open(
    planContainers: readonly PlanContainer[],
    machine: LocalMachine,
    stop: AbortSignal,
  ): Promise<Containers> {
    const secret = randomBytes(32).toString('base64url');
    const server = new ShimServer(secret);
    const port = await server.listen(0);
    const containers = new Containers(server, machine.engine);
    const run = randomBytes(4).toString('hex');
    const services = [...new Set(planContainers.flatMap(({ service }) => service ?? []))];
    try {
      for (const container of planContainers) {
        const variables = {
          MILLRACE_CONTAINER: container.name,
          MILLRACE_SHIM_PORT: String(port),
          MILLRACE_SHIM_KEY: shimKey(secret, container.name).toString('hex'),
        };
        containers.#children.push(startChild(container, { variables, run, services }, machine));
      }
      await containers.#gather(planContainers, stop);
      return containers;
    } catch (error) {
      await containers.close();
      throw error;
    }
  }

  /** Kills everything that runs in the containers. */
  kill(): void {
    for (const shim of this.shims.values()) shim.drop();
  }

  /** Ends the containers, and waits until they have ended. */
  async close(): Promise<void> {
    this.#closed.abort();
    this.#server.close();
    await Promise.all([...this.shims.values()].map((shim) => shim.end()));
    const lateChildren = this.#children.filter((child) => !child.hasEnded());
    // Without a connected shim, nothing asks the containers to end, so they are killed at once.
    const limitMs = this.shims.size === 0 ? 0 : END_LIMIT_MS;
    const limit = setTimeout(() => void this.#killLate(lateChildren), limitMs);
    await Promise.all(lateChildren.map(({ ended }) => ended));
    clearTimeout(limit);
  }

  async #killLate(lateChildren: readonly Child[]): Promise<void> {
    await this.#engine?.remove(lateChildren.flatMap(({ nameInEngine }) => nameInEngine ?? []));
    for (const { process: child } of lateChildren) child.kill('SIGKILL');
  }

  /** Waits until every shim is connected. Throws if a container ends before, or if `stop` aborts. */
  async #gather(planContainers: readonly PlanContainer[], stop: AbortSignal): Promise<void> {
    const names = planContainers.map(({ name }) => name);
    const earlyEnds = this.#children.map(async ({ ended, container }) => {
      throw new CommandError(`the container ${container} did not start: ${await ended}`);
    });
    const stopped = new Promise<never>((_, reject) => {
      const cancel = (): void => reject(new CommandError('cancelled before a step began'));
      if (stop.aborted) cancel();
      else stop.addEventListener('abort', cancel, { once: true });
    });
    for (const ending of [...earlyEnds, stopped]) ending.catch(() => undefined);
    const gathered = this.#server.gather(names, GATHER_LIMIT_MS, this.#closed.signal);
    this.shims = await Promise.race([gathered, stopped, ...earlyEnds]);
  }
}

interface Child {
  container: string;
  process: ChildProcess;
  /** The container's name in the engine; absent for a process on this machine. */
  nameInEngine?: string;
  /** Resolves with the last output when the container has ended. */
  ended: Promise<string>;
  hasEnded: () => boolean;
}

interface StartContext {
  variables: Record<string, string>;
  /** Identifies this run in the names of its containers. */
  run: string;
  /** Names by which steps reach services. */
  services: readonly string[];
}

function startChild(
  { name, image }: PlanContainer,
  { variables, run, services }: StartContext,
  { folders, environment, engine, images }: LocalMachine,
): Child {
  if (image === undefined || engine === undefined) {
    const env = { ...hostEnvironment(environment, folders), ...variables };
    return watchChild(name, spawn(findShim(environment), [], { ...OWN_SESSION, env, cwd: folders.work }));
  }
  const container = `millrace-${run}-${name}`;
  const shim = findShim(environment, images.get(image)?.architecture);
  const words = engineArguments({ container, image, shim, work: folders.work, services, variables });
  const env = { ...engine.environment, ...variables };
  return {
    ...watchChild(name, spawn(engine.program, words, { ...OWN_SESSION, env })),
    nameInEngine: container,
  };
}

/** Children get a session of their own, so that Ctrl-C reaches only this process, which ends them itself. */
const OWN_SESSION = { detached: true, stdio: ['ignore', 'pipe', 'pipe'] } satisfies Parameters<
  typeof spawn
>[2];

function watchChild(container: string, child: ChildProcess): Child {
  let output = '';
  let hasEnded = false;
  const append = (text: unknown): void =>
    void (output = `${output}${String(text)}`.slice(-MAX_MESSAGE_CHARACTERS));
  child.stdout?.on('data', append);
  child.stderr?.on('data', append);
  const ended = new Promise<string>((resolve) => {
    const end = (cause: string): void => {
      hasEnded = true;
      resolve(output.trim() === '' ? cause : output.trim());
    };
    child.once('error', (error) => end(error.message));
    child.once('close', (code, signal) => end(signal ?? `exit code ${code}`));
  });
  return { container, process: child, ended, hasEnded: () => hasEnded };
}
