import type { Cause } from '#agent/build-context.ts';
import type { SecretLinks } from '#agent/secrets.ts';
import type { Terminal } from '#cli/terminal.ts';
import { defined } from '#defined';
import type { SecretsResponse } from '#domain/build/agent-protocol.ts';
import { builtInSource } from '#domain/pipeline/built-in-source.ts';
import type { Job, Pipeline } from '#domain/pipeline/pipeline.ts';
import { getsOf } from '#domain/pipeline/steps.ts';
import type { CheckRun, Plan } from '#domain/planning/plan.ts';
import { recordsOf } from '#domain/planning/step-records.ts';
import {
  fillCheck,
  fillStep,
  planForAgent,
  runForAgent,
  type OperationFilled,
} from '#flows/builds/fill-secrets.ts';
import type { AttemptFacts } from '#flows/builds/ports.ts';
import type { TeamSecrets } from '#flows/builds/session-ports.ts';
import { formatCheckDate } from '#flows/checks/start-checks.ts';
import type { CheckRunFacts } from '#flows/pods/workloads.ts';
import { applyChoicesToPlan, applyChoicesToStep, type LocalChoices } from './apply-choices.ts';
import { BuildPrinter } from './build-printer.ts';
import { checkResources } from './check-resources.ts';
import { Containers } from './containers.ts';
import type { Environment } from './engine.ts';
import { makeFolders, refuseEnclosingFolders, removeFolders, type RunFolders } from './folders.ts';
import { prepareImages } from './prepare-images.ts';
import { versionOfFolder } from './resource-folders.ts';
import { runPlan } from './run-plan.ts';
import { newStops } from './stops.ts';
import { versionSources, type VersionSource } from './versions.ts';

export interface LocalBuildRequest {
  /** Name of the pipeline. */
  name: string;
  pipeline: Pipeline;
  job: Job;
  inputs: Record<string, string>;
  /** Resource → local directory. */
  folders: ReadonlyMap<string, string>;
  secrets: TeamSecrets;
  environment: Environment;
  options: { put?: boolean; notify?: boolean; engine?: string; keep?: boolean };
  terminal: Terminal;
}

/** The team of the build, in the variables of its steps. */
const TEAM = 'local';
const OWNER = { team: TEAM, namespace: '', pipelineId: 0 };

/** One build on this machine. */
export class LocalBuild {
  readonly #request: LocalBuildRequest;
  readonly #stops = newStops();
  #folders: RunFolders | undefined;
  #containers: Containers | undefined;
  #printer: BuildPrinter;

  constructor(request: LocalBuildRequest) {
    this.#request = request;
    this.#printer = new BuildPrinter(request.terminal, [], new Map());
  }

  get isCancelled(): boolean {
    return this.#stops.plan.reason !== undefined;
  }

  cancel(): void {
    this.#printer.note('cancelling: hooks of the job still run; press Ctrl-C again to kill everything');
    this.#stops.plan.request('cancelled');
  }

  kill(): void {
    this.#stops.root.request('terminated');
    this.#containers?.kill();
  }

  /** A table of the steps that ended. */
  summary(): string {
    return this.#printer.summary();
  }

  async run(): Promise<Cause> {
    const folders = (this.#folders = await makeFolders());
    refuseEnclosingFolders(folders, this.#request.folders);
    const versions = await this.#versions(folders);
    const facts = this.#facts(versions);
    const location = { workdir: folders.work };
    const choices = this.#choices;
    const { plan, withheld } = applyChoicesToPlan(planForAgent(facts, location), choices);
    const printer = (this.#printer = new BuildPrinter(this.#request.terminal, recordsOf(plan), withheld));
    const cause = await this.#withContainers(plan, folders, async (work, containers) =>
      runPlan({
        plan: work,
        containers,
        stops: this.#stops,
        requestSecrets: async ({ operation: id }) =>
          applyChoices(
            gatewayAnswer(await fillStep(facts, { id, given: new Map() }, this.#request.secrets, location)),
            choices,
          ),
        spoolFolder: folders.root,
        onEvent: (event) => {
          printer.event(event);
          // The program that read the log has closed the pipe.
          if (this.#request.terminal.isOver === true) this.#stops.plan.request('cancelled');
        },
      }),
    );
    return this.#stops.root.reason === undefined
      ? cause
      : { ...cause, outcome: 'cancelled', message: KILLED };
  }

  async close(): Promise<void> {
    const { terminal, options } = this.#request;
    if (this.#folders === undefined) return;
    if (options.keep === true) terminal.err(`work directory: ${this.#folders.work}\n`);
    else await removeFolders(this.#folders, terminal);
  }

  /** Opens the containers of the work, runs the action in them, and closes them. */
  async #withContainers<Work extends Plan | CheckRun, Result>(
    work: Work,
    folders: RunFolders,
    action: (work: Work, containers: Containers) => Promise<Result>,
  ): Promise<Result> {
    const { environment, options } = this.#request;
    const prepared = await prepareImages(work, {
      environment,
      engine: options.engine,
      note: (line) => this.#printer.note(line),
      stop: this.#stops.plan,
    });
    const { engine, images } = prepared;
    const machine = { folders, environment, images, ...defined({ engine }) };
    const containers = await Containers.open(prepared.work.containers, machine, this.#stops.plan.signal);
    this.#containers = containers;
    try {
      return await action(prepared.work, containers);
    } finally {
      await containers.close();
    }
  }

  /** The version of each get, in the order of the gets. */
  async #versions(folders: RunFolders): Promise<Record<string, string>[]> {
    const { pipeline, job } = this.#request;
    const sources = versionSources(pipeline, job, this.#request.folders);
    const checked = await this.#check(
      [...sources].flatMap(([name, { from }]) => (from === 'check' ? [name] : [])),
      folders,
    );
    const versions = new Map<string, Record<string, string>>(checked);
    for (const [name, source] of sources)
      if (!versions.has(name)) versions.set(name, await this.#versionFrom(source));
    return getsOf(job.steps).map(({ resource }) => versions.get(resource) ?? {});
  }

  async #versionFrom(source: VersionSource): Promise<Record<string, string>> {
    const { name, job } = this.#request;
    if (source.from === 'folder') return await versionOfFolder(source.folder, source.field);
    if (source.from === 'clock') return { date: formatCheckDate(new Date()) };
    if (source.from === 'event')
      return { trigger_pipeline: name, trigger_job: job.name, trigger_build: BUILD_NUMBER };
    return {};
  }

  async #check(
    resources: readonly string[],
    folders: RunFolders,
  ): Promise<ReadonlyMap<string, Record<string, string>>> {
    if (resources.length === 0) return new Map();
    for (const resource of resources) this.#printer.note(`checking ${resource}`);
    const facts: CheckRunFacts = {
      ...OWNER,
      run: 1,
      pipeline: this.#request.name,
      definition: this.#request.pipeline,
      checks: resources.map((resource, index) => ({ scope: index + 1, resource })),
    };
    const location = { workdir: folders.work };
    const requestSecrets: SecretLinks['request'] = async ({ operation: id }) =>
      gatewayAnswer(await fillCheck(facts, { id, given: new Map() }, this.#request.secrets, location));
    return await this.#withContainers(runForAgent(facts, location), folders, async (work, containers) =>
      checkResources(work, containers, { stop: this.#stops.plan, requestSecrets }),
    );
  }

  #facts(versions: Record<string, string>[]): AttemptFacts {
    const { name, job, inputs, pipeline } = this.#request;
    return {
      ...OWNER,
      id: 1,
      pipeline: name,
      job: job.name,
      number: BUILD_NUMBER,
      attempt: 1,
      definition: pipeline,
      createdAt: new Date(),
      status: 'started',
      retries: 0,
      versions,
      inputs,
    };
  }

  get #choices(): LocalChoices {
    const { folders, options, pipeline } = this.#request;
    return {
      folders,
      gitResources: gitResourcesOf(pipeline),
      put: options.put === true,
      notify: options.notify === true,
    };
  }
}

const BUILD_NUMBER = '1';
const KILLED = 'You killed it: hooks may not have run.';

function gitResourcesOf({ resources, resourceTypes }: Pipeline): ReadonlySet<string> {
  const types = new Set(
    resourceTypes.filter((type) => builtInSource(type) === 'svc://git').map(({ name }) => name),
  );
  return new Set(resources.filter(({ type }) => types.has(type)).map(({ name }) => name));
}

/** The answer, with the user's choices applied to its step. */
function applyChoices(answer: SecretsResponse, choices: LocalChoices): SecretsResponse {
  if (answer.answer !== 'filled' || !('kind' in answer.operation)) return answer;
  return { ...answer, operation: applyChoicesToStep(answer.operation, choices) };
}

/** What the gateway would answer the agent. */
function gatewayAnswer(filled: OperationFilled): SecretsResponse {
  if (filled.answer === 'unknown') throw new Error('the plan has no such operation');
  return filled.answer === 'unavailable' ? { answer: 'wait', reason: filled.reason } : filled;
}
