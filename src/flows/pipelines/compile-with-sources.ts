import type { Diagnostic } from '#domain/language/diagnostic.ts';
import type { NeededSource, ResolvedSource, ResolvedSources } from '#domain/pipeline/compile-context.ts';
import type { Compilation } from '#domain/pipeline/compile.ts';
import { checkSourceBytes, checkSources, LIMITS } from '#domain/pipeline/limits.ts';
import type {
  Compiler,
  ConfigurationAnswer,
  PipelineManifest,
  SourceReader,
  SourceRules,
} from './manifest-ports.ts';
import type { PipelineStore } from './ports.ts';
import type { SourceTurns } from './source-turns.ts';

export interface SourcePorts {
  compiler: Compiler;
  reader: SourceReader;
  store: Pick<PipelineStore, 'cachedSources' | 'cacheSources'>;
  rulesOf: (team: string) => SourceRules;
  turns: SourceTurns;
  now: () => Date;
}

export type CompiledWithSources =
  /** Digest of everything that the definition was made from. */
  | { compilation: Compilation; digest: string }
  /** A sentence for each source that may be reachable later. */
  | { unavailable: string[] }
  /** Other pipelines are fetching; nothing was fetched. */
  | { busy: true };

/** Sources that are fetched at a time. */
const SIDE_BY_SIDE = 8;

/**
 * Compiles a text with its sources. Sources are fetched once for a text, its variables and a request, and
 * cached, so neither restarts nor changes at the source change a pipeline.
 */
export async function compileWithSources(
  manifest: PipelineManifest,
  { config, variables, digest }: ConfigurationAnswer & { answer: 'found' },
  ports: SourcePorts,
): Promise<CompiledWithSources> {
  const bare = await ports.compiler.compile(config, variables);
  if (!bare.needs) return { compilation: bare, digest };
  const key = ports.reader.digest([digest, manifest.requestedAt ?? '']);
  const cached = await ports.store.cachedSources(manifest);
  const known = cached?.key === key ? cached.sources : {};
  const found: Record<string, ResolvedSource> = { ...known };
  const fetching: Fetching = { found, until: Infinity };
  let compilation = bare;
  // Each round may find sources that name further sources. The compiler ends chains that are too long.
  for (let round = 0; compilation.needs && round <= LIMITS.sourceChain; round++) {
    const ended = await fetchRound(fetching, compilation.needs, manifest, ports);
    if ('refused' in ended) return { compilation: { diagnostics: [ended.refused] }, digest };
    if (!('complete' in ended)) return ended;
    compilation = await ports.compiler.compile(config, variables, found);
  }
  const texts = Object.fromEntries(Object.entries(found).filter(([, one]) => 'text' in one));
  if (Object.keys(texts).length > Object.keys(known).length)
    await ports.store.cacheSources(manifest, { key, sources: texts });
  return { compilation, digest: ports.reader.digest([digest, ...digestsOf(texts)]) };
}

interface Fetching {
  found: Record<string, ResolvedSource>;
  /** Set by the first fetch. No fetch begins after this time (milliseconds). */
  until: number;
}

type RoundEnded =
  | { complete: true }
  | { refused: Diagnostic }
  /** Sources that could not be reached. */
  | { unavailable: string[] }
  | { busy: true };

/** Fetches one round of sources. Limits are checked before anything is fetched, and teams take turns. */
async function fetchRound(
  fetching: Fetching,
  needs: readonly NeededSource[],
  { team }: PipelineManifest,
  ports: SourcePorts,
): Promise<RoundEnded> {
  const { found } = fetching;
  const waiting = [...new Set(needs.map(({ source }) => source))].filter((source) => !(source in found));
  if (waiting.length === 0) return { complete: true };
  const refused = checkSources(Object.keys(found).length + waiting.length);
  if (refused !== undefined) return { refused };
  const leave = ports.turns.take(team);
  if (leave === undefined) return { busy: true };
  if (fetching.until === Infinity) fetching.until = ports.now().getTime() + LIMITS.sourceMilliseconds;
  try {
    return await fetchAll(waiting, fetching, { ...ports, rules: ports.rulesOf(team) });
  } finally {
    leave();
  }
}

/** Stops when the sources together are too large or take too long. */
async function fetchAll(
  waiting: string[],
  { found, until }: Fetching,
  { reader, rules, now }: Pick<SourcePorts, 'reader' | 'now'> & { rules: SourceRules },
): Promise<RoundEnded> {
  const unavailable: string[] = [];
  let refused: Diagnostic | undefined;
  const lane = async (): Promise<void> => {
    for (let source = waiting.shift(); source !== undefined; source = waiting.shift()) {
      if (refused !== undefined) return;
      if (now().getTime() > until) return void unavailable.push(`${source}: ${TOO_SLOW}.`);
      const answer = await reader.read(source, rules);
      if ('text' in answer) found[source] = answer;
      else if (answer.transient) unavailable.push(`${source}: ${answer.failure}.`);
      else found[source] = { failure: answer.failure };
      refused ??= checkSourceBytes(lengthOf(found));
    }
  };
  await Promise.all(Array.from({ length: Math.min(SIDE_BY_SIDE, waiting.length) }, lane));
  if (refused !== undefined) return { refused };
  return unavailable.length > 0 ? { unavailable } : { complete: true };
}

const TOO_SLOW = `the sources of the pipeline take longer than ${LIMITS.sourceMilliseconds / 1000} s in all`;

function lengthOf(sources: ResolvedSources): number {
  return Object.values(sources).reduce((sum, one) => sum + ('text' in one ? one.text.length : 0), 0);
}

function digestsOf(sources: ResolvedSources): string[] {
  return Object.entries(sources)
    .flatMap(([source, one]) => ('text' in one ? [`${source} ${one.digest}`] : []))
    .toSorted();
}
