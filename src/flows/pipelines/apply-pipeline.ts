import { defined } from '#defined';
import { whyNoIdentity } from '#domain/build/identity-claims.ts';
import { hasErrors, renderDiagnostic, sortDiagnostics } from '#domain/language/diagnostic.ts';
import type { Compilation } from '#domain/pipeline/compile.ts';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import type { PlacementRefusal, TagRules } from '#domain/planning/choose-nodes.ts';
import type { VolumeRules } from '#domain/planning/mount-volumes.ts';
import { refusedTags } from '#domain/planning/refused-tags.ts';
import { refusedVolumes } from '#domain/planning/refused-volumes.ts';
import { scheduledChecks } from '#domain/planning/scheduled-checks.ts';
import type { PipelineName } from '#flows/names.ts';
import type { Notifications } from '#flows/notification-ports.ts';
import { compileWithSources } from './compile-with-sources.ts';
import { followRename, type RenameOutcome } from './follow-rename.ts';
import type {
  Compiler,
  ConfigurationAnswer,
  PipelineCluster,
  PipelineManifest,
  SourceReader,
} from './manifest-ports.ts';
import type { PipelineFacts, PipelineStore, SavedPipeline } from './ports.ts';
import type { RenameStore } from './rename-ports.ts';
import { savePipeline } from './save-pipeline.ts';
import type { SaveStore } from './save-ports.ts';
import type { SourceTurns } from './source-turns.ts';

export interface ApplyPipelinePorts {
  store: Pick<
    PipelineStore,
    keyof SaveStore | 'definition' | 'countPipelines' | 'cachedSources' | 'cacheSources' | keyof RenameStore
  > & {
    /** What `status` shows. An implementation may add why jobs and builds wait. */
    pipelineFacts(name: PipelineName): Promise<PipelineFacts | undefined>;
  };
  cluster: PipelineCluster;
  compiler: Compiler;
  reader: SourceReader;
  turns: SourceTurns;
  notifications: Pick<Notifications, 'notify'>;
  /** Issuer of identity tokens. */
  externalUrl: string | undefined;
  now: () => Date;
}

/** The result of applying a manifest. */
export type PipelineApplied = CurrentRevision &
  (
    | { outcome: 'applied'; saved: SavedPipeline; warnings: string[] }
    /**
     * Each error and warning as `line:column: in <blocks>: message`, or each error as `spec.pins: message`.
     * The last good revision stays in effect.
     */
    | { outcome: 'invalid'; errors: string[] }
    /**
     * The definition could not be compiled or saved. The last good revision, if there is one, stays in
     * effect. `again`: a later attempt may succeed although the manifest stays the same.
     */
    | { outcome: 'unavailable'; reason: string; message: string; again?: boolean }
    /** Too many pipelines, or another one of the team, are fetching sources: try again soon. */
    | { outcome: 'waiting' }
    | RenameOutcome
  );

/** What the status shows of the current revision. Before the first revision, all fields are absent. */
interface CurrentRevision {
  facts?: PipelineFacts;
  /** Jobs and checks that get no Pod, because their tags conflict or the Team does not allow them. */
  refusedTags?: PlacementRefusal[];
  /** A sentence for each CronJob of checks that cannot be created. */
  blockedChecks?: string[];
}

/**
 * Applies a Pipeline object: reads its text, variables and sources, compiles them, saves a new revision if
 * they changed, and creates the CronJobs of its checks. First carries out the object's part of a rename.
 */
export async function applyPipeline(
  manifest: PipelineManifest,
  ports: ApplyPipelinePorts,
): Promise<PipelineApplied> {
  const renaming = await followRename(manifest, ports);
  if (renaming !== undefined) return renaming;
  const applied = await applyText(manifest, ports);
  if (manifest.renamedFrom !== undefined) await ports.cluster.settleRename(manifest);
  return applied;
}

async function applyText(manifest: PipelineManifest, ports: ApplyPipelinePorts): Promise<PipelineApplied> {
  const overLimit = await refuseSurplus(manifest, ports);
  if (overLimit !== undefined) return overLimit;
  const configuration = await ports.cluster.configurationOf(manifest);
  if (configuration.answer === 'missing') {
    const { reason, message } = configuration;
    return { outcome: 'unavailable', reason, message, ...(await keepLastGood(manifest, ports)) };
  }
  const compiled = await compileWithSources(manifest, configuration, {
    ...ports,
    rulesOf: (team) => ports.cluster.sourceRulesOf(team),
  });
  if ('busy' in compiled) return { outcome: 'waiting', ...(await keepLastGood(manifest, ports)) };
  if ('unavailable' in compiled) {
    const message = compiled.unavailable.join(' ');
    const current = await keepLastGood(manifest, ports);
    return { outcome: 'unavailable', reason: 'SourceUnavailable', message, again: true, ...current };
  }
  const busy = await answerIfMachineBusy(compiled.compilation, manifest, ports);
  if (busy !== undefined) return busy;
  const compilation = refuseMissingVolumes(compiled.compilation, podRulesOf(manifest.team, ports.cluster));
  if (compilation.pipeline === undefined || hasErrors(compilation.diagnostics)) {
    return { outcome: 'invalid', errors: rendered(compilation), ...(await keepLastGood(manifest, ports)) };
  }
  const unknown = unknownPins(manifest, compilation.pipeline);
  if (unknown.length > 0)
    return { outcome: 'invalid', errors: unknown, ...(await keepLastGood(manifest, ports)) };
  const message = whyNoIdentity(compilation.pipeline, ports.externalUrl);
  if (message !== undefined) {
    const current = await keepLastGood(manifest, ports);
    return { outcome: 'unavailable', reason: 'NoExternalURL', message, ...current };
  }
  const { digest } = compiled;
  return acceptDefinition(
    manifest,
    { ...configuration, digest },
    { ...compilation, pipeline: compilation.pipeline },
    ports,
  );
}

/**
 * Refuses a new pipeline beyond the team's limit before its text is compiled. Existing pipelines are not
 * affected. Saving checks the limit again, because other pipelines may be saved meanwhile.
 */
async function refuseSurplus(
  manifest: PipelineManifest,
  { store, cluster }: ApplyPipelinePorts,
): Promise<PipelineApplied | undefined> {
  const limit = cluster.pipelineLimitOf(manifest.team);
  if (limit === undefined || (await store.countPipelines(manifest.team)) < limit) return undefined;
  if ((await store.pipelineFacts(manifest)) !== undefined) return undefined;
  return tooManyPipelines(limit);
}

function tooManyPipelines(limit: number): PipelineApplied {
  const pipelines = limit === 1 ? 'pipeline' : 'pipelines';
  const message =
    `The team has reached its limit of ${limit} ${pipelines} (limits.pipelines of the Team). ` +
    'Delete another one, or ask for a higher limit.';
  return { outcome: 'unavailable', reason: 'TooManyPipelines', message, again: true };
}

/**
 * If the machine was too busy to compile a text, the text may be valid. So the last good revision stays in
 * effect, and a later attempt compiles the text again.
 */
async function answerIfMachineBusy(
  { diagnostics }: Compilation,
  manifest: PipelineManifest,
  ports: ApplyPipelinePorts,
): Promise<PipelineApplied | undefined> {
  const busy = diagnostics.find(({ code }) => code === 'machine-busy');
  if (busy === undefined) return undefined;
  const current = await keepLastGood(manifest, ports);
  return { outcome: 'unavailable', reason: 'MachineBusy', message: busy.message, again: true, ...current };
}

/** Refuses paths on volumes that the Team does not have, and puts to read-only volumes. */
function refuseMissingVolumes(compilation: Compilation, rules: VolumeRules): Compilation {
  const { diagnostics, volumes = [] } = compilation;
  const refused = refusedVolumes(volumes, rules);
  return { ...compilation, diagnostics: sortDiagnostics([...diagnostics, ...refused]) };
}

function podRulesOf(team: string, cluster: Pick<PipelineCluster, 'podRulesOf'>): TagRules & VolumeRules {
  const rules = cluster.podRulesOf(team);
  if (rules === undefined) throw new Error(`Team ${team} is not ready yet.`);
  return rules;
}

function unknownPins({ pins = [] }: PipelineManifest, { resources }: Pipeline): string[] {
  return pins
    .filter(({ resource }) => !resources.some(({ name }) => name === resource))
    .map(({ resource }) => `spec.pins: the pipeline has no resource ${resource}`);
}

async function acceptDefinition(
  manifest: PipelineManifest,
  configuration: ConfigurationAnswer & { answer: 'found' },
  compilation: Compilation & { pipeline: Pipeline },
  ports: ApplyPipelinePorts,
): Promise<PipelineApplied> {
  const definition = compilation.pipeline;
  const { config, digest } = configuration;
  const actor = manifest.byApi?.changedBy ?? 'manifest';
  const limit = ports.cluster.pipelineLimitOf(manifest.team);
  const toSave = { ...manifest, config, digest, definition, actor, ...defined({ limit }) };
  const saved = await savePipeline(toSave, ports.store, ports.now());
  if (saved === undefined) return tooManyPipelines(limit ?? 0);
  notifyOfChange(saved, ports);
  const facts = await ports.store.pipelineFacts(manifest);
  const pods = await applyPods(manifest, { id: saved.id, definition }, ports);
  return {
    outcome: 'applied',
    saved,
    warnings: rendered(compilation),
    ...defined({ facts }),
    ...pods,
  };
}

/**
 * Creates the CronJobs for the checks of a definition, and finds tags that conflict or that the Team does not
 * allow.
 */
async function applyPods(
  manifest: PipelineManifest,
  { id, definition }: { id: number; definition: Pipeline },
  { cluster }: Pick<ApplyPipelinePorts, 'cluster'>,
): Promise<Pick<CurrentRevision, 'refusedTags' | 'blockedChecks'>> {
  const rules = podRulesOf(manifest.team, cluster);
  const labelOf = (tag: string): string => cluster.nodeLabel(tag);
  const checks = scheduledChecks(definition, rules, labelOf);
  const blockedChecks = await cluster.applyChecks({ ...manifest, id, checks });
  return {
    refusedTags: refusedTags(definition, rules, labelOf),
    ...(blockedChecks.length > 0 && { blockedChecks }),
  };
}

/** Notifies the agents of stopped builds, then the scheduler. */
function notifyOfChange(
  { id, schedulingChange }: SavedPipeline,
  { notifications }: ApplyPipelinePorts,
): void {
  if (schedulingChange === undefined) return;
  for (const build of schedulingChange.stopped) notifications.notify({ topic: 'cancel', build });
  notifications.notify({ topic: 'schedule', pipeline: id });
}

/**
 * Keeps the CronJobs of the current revision in their desired state. Returns what the status shows of that
 * revision.
 */
async function keepLastGood(manifest: PipelineManifest, ports: ApplyPipelinePorts): Promise<CurrentRevision> {
  const [current, facts] = await Promise.all([
    ports.store.definition(manifest),
    ports.store.pipelineFacts(manifest),
  ]);
  if (current === undefined || facts === undefined) return {};
  return { facts, ...(await applyPods(manifest, { id: current.id, definition: current.pipeline }, ports)) };
}

function rendered({ diagnostics }: Compilation): string[] {
  return diagnostics.map(renderDiagnostic);
}
