import type { BlockReader } from '#domain/language/evaluate-expression.ts';
import { reportForInstance, type InstanceName } from '#domain/language/in-instances.ts';
import { readBlock, type ReadBlock } from '#domain/language/read-block.ts';
import { resource as resourceSchema } from '#domain/language/schema-types.ts';
import type { Block, Body, Item } from '#domain/language/syntax.ts';
import {
  groupLabel,
  isGroup,
  nameOfInstance,
  readInstances,
  RESOURCE_GROUP,
  withEach,
  withoutGroup,
  type Instance,
} from './instances.ts';
import { checkName } from './name.ts';

export const isResourceGroup = (item: Item): item is Block =>
  item.kind === 'block' && item.type === 'resource' && isGroup(item, RESOURCE_GROUP);

export interface ResourceGroups {
  /** One for each instance, as if it had been written so. */
  blocks: ReadBlock[];
  /** A group or one of its resources could not be read. */
  incomplete: boolean;
}

/** Reads a resource block with `for_each` or `matrix`: one text for many resources. */
export function readResourceGroups(reader: BlockReader, { items }: Body): ResourceGroups {
  const groups = items.filter(isResourceGroup).map((block) => readGroup(reader, block));
  return {
    blocks: groups.flatMap(({ blocks }) => blocks),
    incomplete: groups.some(({ incomplete }) => incomplete),
  };
}

function readGroup(reader: BlockReader, block: Block): ResourceGroups {
  const instances = readInstances(reader, block, RESOURCE_GROUP);
  const { labels } = block;
  const named =
    labels.length > RESOURCE_GROUP.label &&
    checkName(reader.report, 'name', 'resource', groupLabel(block, RESOURCE_GROUP));
  const read = (instance: Instance | 'unknown' | undefined, name?: InstanceName): ReadBlock | undefined => {
    const own = { ...reader, report: reportForInstance(reader.report, name) };
    return readBlock(withEach(own, instance), withoutGroup(block, RESOURCE_GROUP), resourceSchema);
  };
  if (instances === 'single') {
    const found = read(undefined);
    return { blocks: found ? [found] : [], incomplete: !found };
  }
  if (instances === 'broken' || instances.length === 0 || !named) {
    // The content is validated nevertheless.
    read('unknown');
    return { blocks: [], incomplete: instances === 'broken' || !named };
  }
  const blocks = instances.flatMap((instance) => {
    const name = nameOfInstance(groupLabel(block, RESOURCE_GROUP).text, instance, instances.length);
    const found = read(instance, name);
    return found ? [nameInstance(found, name)] : [];
  });
  return { blocks, incomplete: blocks.length < instances.length };
}

function nameInstance(block: ReadBlock, instance: InstanceName): ReadBlock {
  const labels = block.labels.map((label, index) =>
    index === RESOURCE_GROUP.label ? { ...label, text: instance.name } : label,
  );
  return { ...block, labels, instance };
}
