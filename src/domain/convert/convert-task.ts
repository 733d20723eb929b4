import { isReservedVariable } from '#domain/pipeline/environment-table.ts';
import type { Conversion } from './conversion.ts';
import { isKnownLate, readImage } from './read-image.ts';
import type { JobScope } from './step-scope.ts';
import { trimEnds } from './trim-ends.ts';
import {
  environmentAttribute,
  failingRun,
  isRunning,
  writeCommand,
  type TaskEnvironment,
} from './write-command.ts';
import {
  hclAttribute,
  hclBlock,
  quoteText,
  visibleText,
  writeList,
  type HclBlock,
  type HclNode,
  type TemplatePart,
} from './write-hcl.ts';
import { templateParts } from './write-value.ts';
import type { YamlFields } from './yaml-fields.ts';
import { plainValue, textOfScalar, type YamlMap, type YamlSpan, type YamlTree } from './yaml-tree.ts';

/** Converts a task. The settings that all kinds of steps have, such as hooks, are not converted here. */
export function convertTask(fields: YamlFields, scope: JobScope): HclBlock {
  const { conversion } = scope;
  const name = fields.needed('task') ?? 'unnamed';
  const body: HclNode[] = [];
  fields.leaveOut(body, {
    privileged: 'no step gets privileges',
    vars: 'they are for a task in a file',
    image: 'the image of a step must be known before the build starts',
    container_limits: 'the Team sets the limits of containers',
    hermetic: 'network policies decide what a Pod reaches',
  });
  const mappings = {
    inputs: readMapping(fields, 'input_mapping', body, conversion),
    outputs: readMapping(fields, 'output_mapping', body, conversion),
  };
  const params = fields.map('params');
  const config = fields.fieldsOf('config', 'the config of a task');
  const file = fields.entry('file');
  if ((config === undefined) === (file === undefined))
    conversion.error(fields.span, `the task "${name}" needs either config or file`, 'Write one of them.');
  else if (file) {
    const missing = textOfScalar(file.value) ?? '';
    conversion.leaveOut(body, file.keySpan, `file has no counterpart: write the commands of ${missing} here`);
    const input = { params: [params], body, span: file.keySpan };
    body.push(...failingScript(`convert the task in the file ${missing}`, input, conversion));
  }
  if (config) body.push(...convertConfig(config, { params, name, body, mappings }, scope));
  return hclBlock('task', [taskTitle(name)], body);
}

export const taskTitle = (name: string): string => visibleText(name).slice(0, MAX_NAME_CHARACTERS);

const MAX_NAME_CHARACTERS = 100;

/**
 * The content of a task that cannot be converted: a script that fails and prints `text`, which says what to
 * do. An empty script would succeed without doing the work of the task.
 */
function failingScript(
  text: string,
  { params, body, span }: { params: (YamlMap | undefined)[]; body: HclNode[]; span: YamlSpan },
  conversion: Conversion,
): HclNode[] {
  const environment = readEnvironment(params, body, conversion);
  for (const variable of environment.running.keys())
    conversion.leaveOut(body, span, `${variable} has no counterpart: only the script can set it`);
  return [...environmentAttribute(environment), failingRun(text)];
}

/** Reads the environment variables of several maps. A later map overrides an earlier one. */
function readEnvironment(
  maps: readonly (YamlMap | undefined)[],
  body: HclNode[],
  conversion: Conversion,
): TaskEnvironment {
  const environment: TaskEnvironment = { fixed: new Map(), running: new Map(), arguments: new Map() };
  for (const { key, keySpan, value } of maps.flatMap((map) => map?.entries ?? [])) {
    const text = textOfParam(value);
    if (!isVariableName(key))
      conversion.leaveOut(body, keySpan, `${key} has no counterpart: it cannot be the name of a variable`);
    else if (isReservedVariable(key))
      conversion.leaveOut(body, keySpan, `${key} has no counterpart: Millrace sets this variable itself`);
    else setVariable(environment, key, templateParts(text, value.span, 'running', conversion));
  }
  return environment;
}

const isVariableName = (name: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);

/** Concourse passes lists and maps as JSON, and null as the empty text. */
const textOfParam = (value: YamlTree): string =>
  value.kind === 'scalar' ? (textOfScalar(value) ?? '') : JSON.stringify(plainValue(value));

function setVariable({ fixed, running }: TaskEnvironment, name: string, parts: TemplatePart[]): void {
  fixed.delete(name);
  running.delete(name);
  if (parts.some(isRunning)) running.set(name, parts);
  else fixed.set(name, quoteText(parts));
}

/**
 * For folders whose name in the task differs from their name in the job: the name in the job, by the name in
 * the task.
 */
type Mapping = ReadonlyMap<string, string>;

/**
 * Reads `input_mapping` or `output_mapping`, and reports each folder that it renames. In Millrace, all steps
 * share one working directory, so a folder has the same name in all of them.
 */
function readMapping(fields: YamlFields, name: string, body: HclNode[], conversion: Conversion): Mapping {
  const mapping = new Map<string, string>();
  for (const { key, keySpan, value } of fields.map(name)?.entries ?? []) {
    const nameInJob = textOfScalar(value);
    if (nameInJob === undefined || nameInJob === key) continue;
    mapping.set(key, nameInJob);
    conversion.leaveOut(
      body,
      keySpan,
      `${name} has no counterpart: the task must call the folder ${nameInJob}, not ${key}`,
    );
  }
  return mapping;
}

interface ConfigInput {
  params: YamlMap | undefined;
  name: string;
  body: HclNode[];
  mappings: Record<'inputs' | 'outputs', Mapping>;
}

function convertConfig(config: YamlFields, input: ConfigInput, scope: JobScope): HclNode[] {
  const resource = config.map('image_resource');
  if (resource === undefined || !isKnownLate(resource)) return convertRunnableConfig(config, input, scope);
  const { params, name, body } = input;
  const text = 'image_resource has no counterpart: the image must be known before the build starts';
  scope.conversion.leaveOut(body, resource.span, text);
  return failingScript(
    `name the image of the task ${name}, and convert it again`,
    { params: [config.map('params'), params], body, span: resource.span },
    scope.conversion,
  );
}

function convertRunnableConfig(
  config: YamlFields,
  { params, name, body, mappings }: ConfigInput,
  scope: JobScope,
): HclNode[] {
  const { conversion } = scope;
  const platform = config.text('platform');
  if (platform !== undefined && platform !== 'linux')
    conversion.leaveOut(body, config.span, `platform: ${platform} has no counterpart: steps run on Linux`);
  config.leaveOut(body, {
    rootfs_uri: 'name an image of a registry',
    container_limits: 'the Team sets the limits of containers',
  });
  const resource = config.map('image_resource');
  const image = resource && readImage(resource, body, conversion);
  const environment = readEnvironment([config.map('params'), params], body, conversion);
  const inputs = readFolders(config, { field: 'inputs', mapping: mappings.inputs, body }, conversion);
  const outputs = readFolders(config, { field: 'outputs', mapping: mappings.outputs, body }, conversion);
  readCaches(config, { name, body }, scope);
  const run = config.fieldsOf('run', 'run of a task');
  if (run === undefined)
    conversion.error(config.span, `the task "${name}" has no run`, 'Add run with a path.');
  const linesBefore = outputs.length === 0 ? [] : [`mkdir -p ${outputs.map(({ path }) => path).join(' ')}`];
  const command = run ? writeCommand({ run, before: linesBefore, environment }, conversion) : [];
  config.end(body);
  const runner = image === undefined ? 'shell' : 'docker';
  return [
    ...pathsAttribute(
      'inputs',
      inputs.filter(({ isOptional }) => !isOptional).map(({ path }) => path),
    ),
    ...pathsAttribute(
      'outputs',
      outputs.map(({ path }) => path),
    ),
    ...environmentAttribute(environment),
    hclBlock('run', [runner], [...(image === undefined ? [] : [hclAttribute('image', image)]), ...command]),
  ];
}

const pathsAttribute = (name: string, paths: readonly string[]): HclNode[] =>
  paths.length === 0
    ? []
    : [hclAttribute(name, writeList([...new Set(paths)].map((path) => quoteText([path]))))];

interface TaskFolder {
  path: string;
  isOptional: boolean;
}

/** Reads the inputs or outputs of a task, which become folders in the working directory. */
function readFolders(
  config: YamlFields,
  { field, mapping, body }: { field: 'inputs' | 'outputs'; mapping: Mapping; body: HclNode[] },
  conversion: Conversion,
): TaskFolder[] {
  return config.maps(field, field === 'inputs' ? 'an input' : 'an output').flatMap((folder) => {
    const nameInTask = folder.needed('name');
    const path = folder.text('path');
    const isOptional = field === 'inputs' && folder.flag('optional') === true;
    folder.end(body);
    if (nameInTask === undefined) return [];
    const name = mapping.get(nameInTask) ?? nameInTask;
    if (path !== undefined && normalizePath(path) !== name)
      conversion.leaveOut(
        body,
        folder.span,
        `path: ${path} has no counterpart: the folder has the name ${name}`,
      );
    if (isFolderName(name)) return [{ path: name, isOptional }];
    conversion.leaveOut(body, folder.span, `${name} has no counterpart: it cannot be the name of a folder`);
    return [];
  });
}

const isFolderName = (name: string): boolean => /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(name);

function normalizePath(path: string): string {
  return path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/');
}

const MAX_CACHES = 5;

/**
 * Reads the caches of a task. In Millrace, a cache is a block of the job, which is written before the step
 * that contains the task. Adds the blocks to `scope.caches`.
 */
function readCaches(
  config: YamlFields,
  { name, body }: { name: string; body: HclNode[] },
  scope: JobScope,
): void {
  const { conversion, caches, cacheNames } = scope;
  for (const cache of config.maps('caches', 'a cache')) {
    const path = cache.needed('path');
    cache.end(body);
    const normalized = normalizePath(path ?? '');
    if (path === undefined) continue;
    if (path.startsWith('/') || normalized === '' || normalized.split('/').includes('..')) {
      conversion.leaveOut(
        body,
        cache.span,
        `cache ${path} has no counterpart: it is not in the working directory`,
      );
    } else if (caches === undefined) {
      conversion.leaveOut(
        body,
        cache.span,
        `cache ${path} has no counterpart: caches are saved before the hooks of the job run`,
      );
    } else if (cacheNames.size >= MAX_CACHES) {
      conversion.leaveOut(
        body,
        cache.span,
        `cache ${path} has no counterpart: a job has at most ${MAX_CACHES}`,
      );
    } else {
      const label = cacheName(`${name}-${normalized}`, cacheNames);
      cacheNames.add(label);
      caches.push(
        hclBlock(
          'cache',
          [label],
          [
            hclAttribute('path', quoteText([normalized])),
            hclAttribute('key', quoteText([`${label}-$BUILD_NUMBER`])),
          ],
        ),
      );
    }
  }
}

function cacheName(text: string, taken: ReadonlySet<string>): string {
  const words = Array.from(text, (letter) => (/[A-Za-z0-9]/.test(letter) ? letter : ' ')).join('');
  const base = words
    .split(' ')
    .filter((word) => word !== '')
    .join('-')
    .slice(0, 50);
  const first = base === '' ? 'cache' : trimEnds(base);
  let label = first;
  for (let number = 2; taken.has(label); number++) label = `${first}-${number}`;
  return label;
}
