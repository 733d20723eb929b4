import type { BlockReader } from '#domain/language/evaluate-expression.ts';
import { reportForInstance, type InstanceName } from '#domain/language/in-instances.ts';
import { readBlock, type ReadBlock } from '#domain/language/read-block.ts';
import { resource as resourceSchema } from '#domain/language/schema-types.ts';
import type { Block, Body, Item } from '#domain/language/syntax.ts';
import {
  describeInstance,
  groupLabel,
  isGroup,
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
  /** One block for each instance, as if people had written it without `for_each`. */
  blocks: ReadBlock[];
  /** A group or one of its resources could not be read. */
  incomplete: boolean;
}

/** Reads the resource blocks with `for_each`: one block of the text becomes many resources. */
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
  const isNameValid =
    labels.length > RESOURCE_GROUP.label &&
    checkName(reader.report, 'name', 'resource', groupLabel(block, RESOURCE_GROUP));
  const readInstance = (
    instance: Instance | 'unknown' | undefined,
    name?: InstanceName,
  ): ReadBlock | undefined => {
    const instanceReader = { ...reader, report: reportForInstance(reader.report, name) };
    return readBlock(withEach(instanceReader, instance), withoutGroup(block, RESOURCE_GROUP), resourceSchema);
  };
  if (instances === 'single') {
    const readResource = readInstance(undefined);
    return { blocks: readResource ? [readResource] : [], incomplete: !readResource };
  }
  if (instances === 'broken' || instances.length === 0 || !isNameValid) {
    // The content of the block is validated even if its instances cannot be used.
    readInstance('unknown');
    return { blocks: [], incomplete: instances === 'broken' || !isNameValid };
  }
  const blocks = instances.flatMap((instance) => {
    const name = describeInstance(groupLabel(block, RESOURCE_GROUP).text, instance, instances.length);
    const readResource = readInstance(instance, name);
    return readResource ? [nameInstance(readResource, name)] : [];
  });
  return { blocks, incomplete: blocks.length < instances.length };
}

function nameInstance(block: ReadBlock, instance: InstanceName): ReadBlock {
  const labels = block.labels.map((label, index) =>
    index === RESOURCE_GROUP.label ? { ...label, text: instance.name } : label,
  );
  return { ...block, labels, instance };
}
