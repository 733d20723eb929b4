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

/** The work with these entrypoints, by image, in place of the empty `argv` of its commands. */
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
 * The operation with the fields that the gateway filled in. Commands that run an entrypoint stay as known:
 * the gateway looks entrypoints up once, for the plan, and they hold no secret.
 */
export function keepEntrypoints<O extends object>(known: O, filled: object): O {
  const operation: O = JSON.parse(JSON.stringify({ ...known, ...mergeFields(known, filled) }));
  return operation;
}

function mergeFields(known: object, filled: object): object {
  const knownFields = new Map<string, unknown>(Object.entries(known));
  return Object.fromEntries(
    Object.entries(filled).map(([key, value]: [string, unknown]) => [
      key,
      mergeValue(knownFields.get(key), value),
    ]),
  );
}

function mergeValue(known: unknown, filled: unknown): unknown {
  if (!isObject(known) || !isObject(filled)) return filled;
  return isEntrypoint(filled) ? known : mergeFields(known, filled);
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
