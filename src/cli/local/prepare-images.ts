import type { Stop } from '#agent/stop.ts';
import { CommandError } from '#cli/terminal.ts';
import { entrypointOf } from '#domain/planning/entrypoint.ts';
import { fillEntrypoints, imagesToLookUp } from '#domain/planning/fill-entrypoints.ts';
import type { PlanContainer } from '#domain/planning/plan.ts';
import { chooseEngine, type Engine, type Environment, type Image } from './engine.ts';

export interface PreparedWork<Work> {
  /** The work with the entrypoints of its images filled in. */
  work: Work;
  engine?: Engine;
  images: ReadonlyMap<string, Image>;
}

interface PrepareContext {
  environment: Environment;
  /** Name of the engine's program. Absent: the first on PATH. */
  engine: string | undefined;
  note: (line: string) => void;
  stop: Stop;
}

/** Pulls the images of the work that are not on this machine yet, and fills in their entrypoints. */
export async function prepareImages<Work extends { containers: PlanContainer[] }>(
  work: Work,
  { environment, engine: engineName, note, stop }: PrepareContext,
): Promise<PreparedWork<Work>> {
  const images = [...new Set(work.containers.flatMap(({ image }) => image ?? []))];
  if (images.length === 0) return { work, images: new Map() };
  const engine = chooseEngine(engineName, environment, images);
  const prepared = new Map<string, Image>();
  for (const image of images) prepared.set(image, await engine.prepare(image, note, stop.signal));
  const entrypoints = imagesToLookUp(work).map(
    (image) => [image, programOf(image, prepared.get(image))] as const,
  );
  return { work: fillEntrypoints(work, Object.fromEntries(entrypoints)), engine, images: prepared };
}

function programOf(name: string, image: Image | undefined): string[] {
  const decision = entrypointOf(image?.configuration ?? { entrypoint: [], cmd: [] });
  if (decision.answer === 'refused')
    throw new CommandError(`the image ${name} cannot run: ${decision.reason}`);
  return decision.argv;
}
