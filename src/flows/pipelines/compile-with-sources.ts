import type { Diagnostic } from '#domain/language/diagnostic.ts';
import type { NeededSource, ResolvedSource, ResolvedSources } from '#domain/pipeline/compile-context.ts';
import type { Compilation } from '#domain/pipeline/compile.ts';
import { checkSourceBytes, checkSources, LIMITS } from '#domain/pipeline/limits.ts';
import { utf8Length } from '#domain/utf8-length.ts';
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
  /** A sentence for each source that could not be fetched now, but may be fetched later. */
  | { unavailable: string[] }
  /** Too many pipelines, or another one of the team, are fetching sources: try again later. */
  | { busy: true };

/** Sources of a pipeline that are fetched at a time. */
const MAX_CONCURRENT_FETCHES = 8;

/**
 * Compiles a text with its sources. Uses the cached sources until the text, the variables or `requestedAt` of
 * the manifest change, so a pipeline stays the same if the operator restarts or if a source changes.
 */
export async function compileWithSources(
  manifest: PipelineManifest,
  { config, variables, digest }: ConfigurationAnswer & { answer: 'found' },
  ports: SourcePorts,
): Promise<CompiledWithSources> {
  const withoutSources = await ports.compiler.compile(config, variables);
  if (!withoutSources.needs) return { compilation: withoutSources, digest };
  const key = ports.reader.digest([digest, manifest.requestedAt ?? '']);
  const cached = await ports.store.cachedSources(manifest);
  const known = cached?.key === key ? cached.sources : {};
  const sources: Record<string, ResolvedSource> = { ...known };
  const fetching: Fetching = { sources, deadline: Infinity };
  let compilation = withoutSources;
  // Each round may find sources that name further sources. The compiler ends chains that are too long.
  for (let rounds = 0; compilation.needs && rounds <= LIMITS.sourceChain; rounds++) {
    const round = await fetchRound(fetching, compilation.needs, manifest, ports);
    if ('refused' in round) return { compilation: { diagnostics: [round.refused] }, digest };
    if (!('complete' in round)) return round;
    compilation = await ports.compiler.compile(config, variables, sources);
  }
  const texts = Object.fromEntries(Object.entries(sources).filter(([, source]) => 'text' in source));
  if (Object.keys(texts).length > Object.keys(known).length)
    await ports.store.cacheSources(manifest, { key, sources: texts });
  return { compilation, digest: ports.reader.digest([digest, ...digestsOf(texts)]) };
}

interface Fetching {
  /**
   * The texts of sources that were fetched or cached, and the reasons why other sources cannot be fetched.
   */
  sources: Record<string, ResolvedSource>;
  /**
   * Milliseconds since 1970: no fetch begins after this time. Infinity until the first round of fetches
   * begins.
   */
  deadline: number;
}

type RoundEnded =
  | { complete: true }
  | { refused: Diagnostic }
  /** A reason for each source that could not be fetched now, or not in time. */
  | { unavailable: string[] }
  | { busy: true };

/**
 * Fetches the sources of one round that are not known yet, unless the pipeline would then have too many.
 * `busy`: the team already fetches for another pipeline, or too many teams fetch.
 */
async function fetchRound(
  fetching: Fetching,
  needs: readonly NeededSource[],
  { team }: PipelineManifest,
  ports: SourcePorts,
): Promise<RoundEnded> {
  const { sources } = fetching;
  const toFetch = [...new Set(needs.map(({ source }) => source))].filter((source) => !(source in sources));
  if (toFetch.length === 0) return { complete: true };
  const refused = checkSources(Object.keys(sources).length + toFetch.length);
  if (refused !== undefined) return { refused };
  const leaveTurn = ports.turns.take(team);
  if (leaveTurn === undefined) return { busy: true };
  if (fetching.deadline === Infinity) fetching.deadline = ports.now().getTime() + LIMITS.sourceMilliseconds;
  try {
    return await fetchAll(toFetch, fetching, { ...ports, rules: ports.rulesOf(team) });
  } finally {
    leaveTurn();
  }
}

/**
 * Fetches these sources, and adds them to `sources`. Stops when all sources together are too large or take
 * too long.
 */
async function fetchAll(
  toFetch: string[],
  { sources, deadline }: Fetching,
  { reader, rules, now }: Pick<SourcePorts, 'reader' | 'now'> & { rules: SourceRules },
): Promise<RoundEnded> {
  const unavailable: string[] = [];
  let refused: Diagnostic | undefined;
  const fetchRemaining = async (): Promise<void> => {
    for (let source = toFetch.shift(); source !== undefined; source = toFetch.shift()) {
      if (refused !== undefined) return;
      if (now().getTime() > deadline) {
        unavailable.push(`${source}: ${TOO_SLOW}.`);
        return;
      }
      const answer = await reader.read(source, rules);
      if ('text' in answer) sources[source] = answer;
      else if (answer.transient) unavailable.push(`${source}: ${answer.failure}.`);
      else sources[source] = { failure: answer.failure };
      refused ??= checkSourceBytes(bytesOf(sources));
    }
  };
  const concurrency = Math.min(MAX_CONCURRENT_FETCHES, toFetch.length);
  await Promise.all(Array.from({ length: concurrency }, fetchRemaining));
  if (refused !== undefined) return { refused };
  return unavailable.length > 0 ? { unavailable } : { complete: true };
}

const TOO_SLOW = `the sources of the pipeline take longer than ${LIMITS.sourceMilliseconds / 1000} s in all`;

function bytesOf(sources: ResolvedSources): number {
  let bytes = 0;
  for (const source of Object.values(sources)) if ('text' in source) bytes += utf8Length(source.text);
  return bytes;
}

function digestsOf(sources: ResolvedSources): string[] {
  return Object.entries(sources)
    .flatMap(([name, source]) => ('text' in source ? [`${name} ${source.digest}`] : []))
    .toSorted();
}
