import { defined } from '#defined';
import { diagnose, type Diagnostic } from '#domain/language/diagnostic.ts';
import type { ReadBlock } from '#domain/language/read-block.ts';
import type { Range } from '#domain/language/syntax.ts';
import { builtInSource } from './built-in-source.ts';
import type { Pipeline, Resource, ResourceType } from './pipeline.ts';
import { actionsOf, hookActionsOf } from './steps.ts';

/** The parameters that are a path on a volume of the Team, by built-in type. */
const PARAMETERS: Readonly<Record<string, string>> = { 'svc://fs': 'path', 'svc://artifact': 'base_dir' };

/** The path at which the operations of a resource need a volume of the Team. Undefined: they need none. */
export function volumePathOf(
  { params }: Pick<Resource, 'params'>,
  type: Pick<ResourceType, 'builtIn' | 'origin'>,
): string | undefined {
  const path = params[PARAMETERS[builtInSource(type) ?? ''] ?? ''] ?? '';
  return path === '' ? undefined : path;
}

/** Why a text cannot be a path on a volume. Undefined: it can. */
export function explainBadPath(path: string): string | undefined {
  if (!path.startsWith('/')) return 'the path must be absolute: it begins with /';
  if (/\p{Cc}/u.test(path)) return 'the path has control characters';
  if (path.length > MAX_PATH_CHARACTERS) return `the path has more than ${MAX_PATH_CHARACTERS} characters`;
  const parts = path.replace(/\/$/, '').split('/').slice(1);
  return parts.some((part) => ['', '.', '..'].includes(part))
    ? 'write the path without "//" and without the parts "." and ".."'
    : undefined;
}

const MAX_PATH_CHARACTERS = 1000;

/** A path that a resource needs. Only the Team says whether one of its volumes has this path. */
export interface VolumeUse {
  resource: string;
  path: string;
  /** A job that puts to the resource. Absent: no job does, so the volume may be read-only. */
  putBy?: string;
  /** A diagnostic at the value of the parameter. Its message is empty until the Team is known. */
  place: Diagnostic;
}

/** The paths of the resources that need a volume of the Team. */
export function volumeUses(
  { resources, resourceTypes, jobs }: Pipeline,
  blocks: readonly ReadBlock[],
): VolumeUse[] {
  const types = new Map(resourceTypes.map((type) => [type.name, type]));
  const ranges = rangesOf(blocks);
  return resources.flatMap((resource): VolumeUse[] => {
    const type = types.get(resource.type);
    const path = type && volumePathOf(resource, type);
    if (type === undefined || path === undefined) return [];
    const { name } = resource;
    const writer = jobs.find(({ steps, hooks }) =>
      [...actionsOf(steps), ...hookActionsOf({ steps, ...defined({ hooks }) })].some(
        (action) => action.kind === 'put' && action.resource === name,
      ),
    );
    const place = diagnose(
      'volume-refused',
      ranges.get(`${name} ${PARAMETERS[builtInSource(type) ?? '']}`),
      '',
    );
    return [{ resource: name, path, ...(writer && { putBy: writer.name }), place }];
  });
}

/** The ranges of parameters, by `<resource> <parameter>`. */
function rangesOf(blocks: readonly ReadBlock[]): ReadonlyMap<string, Range> {
  const resources = blocks.filter(({ type }) => type === 'resource');
  return new Map(
    resources.flatMap(({ labels, blocks: inner }) =>
      inner.flatMap(({ parameters }) =>
        parameters.map(({ name, range }): [string, Range] => [
          `${labels.map(({ text }) => text).join('.')} ${name}`,
          range,
        ]),
      ),
    ),
  );
}
