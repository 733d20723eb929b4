import type { Compilation } from '#domain/pipeline/compile.ts';
import { LIMITS } from '#domain/pipeline/limits.ts';
import type { NeededSource, ResolvedSource, ResolvedSources } from '#domain/pipeline/surroundings.ts';
import type {
  Compiler,
  ConfigurationAnswer,
  PipelineManifest,
  SourceReader,
  SourceRules,
} from './manifest-ports.ts';
import type { PipelineStore } from './ports.ts';

export interface SourcePorts {
  compiler: Compiler;
  reader: SourceReader;
  store: Pick<PipelineStore, 'keptSources' | 'keepSources'>;
  rulesOf: (team: string) => SourceRules;
}

export type CompiledWithSources =
  /** The digest covers everything that the definition was made from. */
  | { compilation: Compilation; digest: string }
  /** A sentence for each source that may be there if tried again. */
  | { unavailable: string[] };

/** How many sources of one round are fetched at a time. */
const SIDE_BY_SIDE = 8;

/**
 * Text to definition. What stands under sources is fetched once for a text, its variables and a request, and kept: neither restarts nor
 * changes over there touch a pipeline by themselves.
 */
export async function compileWithSources(
  manifest: PipelineManifest,
  { config, variables, digest }: ConfigurationAnswer & { answer: 'found' },
  ports: SourcePorts,
): Promise<CompiledWithSources> {
  const bare = await ports.compiler.compile(config, variables);
  if (!bare.needs) return { compilation: bare, digest };
  const key = ports.reader.digest([digest, manifest.requestedAt ?? '']);
  const kept = await ports.store.keptSources(manifest);
  const known = kept?.key === key ? kept.sources : {};
  const found: Record<string, ResolvedSource> = { ...known };
  let compilation = bare;
  // Each round may find sources that name others; the compiler ends chains that are too long.
  for (let round = 0; compilation.needs && round <= LIMITS.sourceChain; round++) {
    const unavailable = await fetchInto(found, compilation.needs, manifest, ports);
    if (unavailable.length > 0) return { unavailable };
    compilation = await ports.compiler.compile(config, variables, found);
  }
  const texts = Object.fromEntries(Object.entries(found).filter(([, one]) => 'text' in one));
  if (Object.keys(texts).length > Object.keys(known).length)
    await ports.store.keepSources(manifest, { key, sources: texts });
  return { compilation, digest: ports.reader.digest([digest, ...digestsOf(texts)]) };
}

/** Answers what could not be reached for now. */
async function fetchInto(
  found: Record<string, ResolvedSource>,
  needs: readonly NeededSource[],
  { team }: PipelineManifest,
  { reader, rulesOf }: SourcePorts,
): Promise<string[]> {
  const waiting = [...new Set(needs.map(({ source }) => source))].filter((source) => !(source in found));
  const unavailable: string[] = [];
  const lane = async (): Promise<void> => {
    for (let source = waiting.shift(); source !== undefined; source = waiting.shift()) {
      const answer = await reader.read(source, rulesOf(team));
      if ('text' in answer) found[source] = answer;
      else if (answer.transient) unavailable.push(`${source}: ${answer.failure}.`);
      else found[source] = { failure: answer.failure };
    }
  };
  await Promise.all(Array.from({ length: Math.min(SIDE_BY_SIDE, waiting.length) }, lane));
  return unavailable;
}

function digestsOf(sources: ResolvedSources): string[] {
  return Object.entries(sources)
    .flatMap(([source, one]) => ('text' in one ? [`${source} ${one.digest}`] : []))
    .toSorted();
}
