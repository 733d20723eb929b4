import type { Reader } from '#domain/language/evaluate-expression.ts';
import { inInstance, type InstanceName } from '#domain/language/in-instances.ts';
import { readBlock, type ReadBlock } from '#domain/language/read-block.ts';
import { resource as resourceSchema } from '#domain/language/schema-types.ts';
import type { Block, Body, Item } from '#domain/language/syntax.ts';
import {
  groupLabel,
  isGroup,
  nameOfInstance,
  readInstances,
  RESOURCES,
  withEach,
  withoutGroup,
  type Instance,
} from './instances.ts';
import { checkName } from './name.ts';

export const isResourceGroup = (item: Item): item is Block =>
  item.kind === 'block' && item.type === 'resource' && isGroup(item, RESOURCES);

export interface ResourceGroups {
  /** One for each instance, as if it had been written so. */
  blocks: ReadBlock[];
  /** A group or one of its resources could not be read. */
  incomplete: boolean;
}

/** The resources that stand in the text once for many. */
export function readResourceGroups(reader: Reader, { items }: Body): ResourceGroups {
  const groups = items.filter(isResourceGroup).map((block) => readGroup(reader, block));
  return {
    blocks: groups.flatMap(({ blocks }) => blocks),
    incomplete: groups.some(({ incomplete }) => incomplete),
  };
}

function readGroup(reader: Reader, block: Block): ResourceGroups {
  const instances = readInstances(reader, block, RESOURCES);
  const { labels } = block;
  const named =
    labels.length > RESOURCES.label &&
    checkName(reader.report, 'name', 'resource', groupLabel(block, RESOURCES));
  const read = (instance: Instance | 'unknown' | undefined, name?: InstanceName): ReadBlock | undefined => {
    const own = { ...reader, report: inInstance(reader.report, name) };
    return readBlock(withEach(own, instance), withoutGroup(block, RESOURCES), resourceSchema);
  };
  if (instances === 'single') {
    const found = read(undefined);
    return { blocks: found ? [found] : [], incomplete: !found };
  }
  if (instances === 'broken' || instances.length === 0 || !named) {
    // What stands in it is looked at all the same.
    read('unknown');
    return { blocks: [], incomplete: instances === 'broken' || !named };
  }
  const blocks = instances.flatMap((instance) => {
    const name = nameOfInstance(groupLabel(block, RESOURCES).text, instance, instances.length);
    const found = read(instance, name);
    return found ? [nameInstance(found, name)] : [];
  });
  return { blocks, incomplete: blocks.length < instances.length };
}

function nameInstance(block: ReadBlock, instance: InstanceName): ReadBlock {
  const labels = block.labels.map((label, index) =>
    index === RESOURCES.label ? { ...label, text: instance.name } : label,
  );
  return { ...block, labels, instance };
}
