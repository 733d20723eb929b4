import type { PlanContainer } from './plan.ts';

interface Work {
  containers: PlanContainer[];
}

/** Images whose entrypoints a plan needs, each once. */
export function imagesToLookUp({ containers }: Work): string[] {
  const images = containers.flatMap(({ image, runsEntrypoint }) =>
    image !== undefined && runsEntrypoint === true ? [image] : [],
  );
  return [...new Set(images)];
}

/**
 * The work with an entrypoint in place of each empty `argv`. `entrypoints`: by image. Throws if one is
 * missing.
 */
export function fillEntrypoints<W extends Work>(
  work: W,
  entrypoints: Readonly<Record<string, readonly string[]>>,
): W {
  const images = new Map(work.containers.map(({ name, image }) => [name, image]));
  const fillArgv = (_key: string, value: unknown): unknown => {
    if (!isEntrypoint(value)) return value;
    const image = images.get(value.container) ?? '';
    const argv = Object.hasOwn(entrypoints, image) ? entrypoints[image] : undefined;
    if (argv === undefined) throw new Error(`the entrypoint of the image ${image} is not known`);
    return { ...value, argv };
  };
  const filled: W = JSON.parse(JSON.stringify(work), fillArgv);
  return filled;
}

/**
 * Whether the value is a command whose entrypoint is not filled in yet. Values that come from pipelines are
 * strings, so nothing else has this form.
 */
function isEntrypoint(value: unknown): value is { container: string } {
  if (typeof value !== 'object' || value === null) return false;
  if (!('container' in value) || !('argv' in value) || 'script' in value) return false;
  return typeof value.container === 'string' && Array.isArray(value.argv) && value.argv.length === 0;
}

/**
 * The operation with the secrets that the gateway filled in. `planned`: the operation of the plan, with
 * entrypoints. `filled`: the same operation with secrets but without entrypoints, because the gateway looks
 * entrypoints up only once, for the plan. A command that runs an entrypoint names no secret.
 */
export function keepEntrypoints<O extends object>(planned: O, filled: object): O {
  const operation: O = JSON.parse(JSON.stringify({ ...planned, ...mergeFields(planned, filled) }));
  return operation;
}

function mergeFields(planned: object, filled: object): object {
  const plannedFields = new Map<string, unknown>(Object.entries(planned));
  return Object.fromEntries(
    Object.entries(filled).map(([key, value]: [string, unknown]) => [
      key,
      mergeValue(plannedFields.get(key), value),
    ]),
  );
}

function mergeValue(planned: unknown, filled: unknown): unknown {
  if (!isObject(planned) || !isObject(filled)) return filled;
  return isEntrypoint(filled) ? planned : mergeFields(planned, filled);
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
