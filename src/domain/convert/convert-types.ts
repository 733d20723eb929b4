import type { Conversion } from './conversion.ts';
import { NEEDS_PRIVILEGES, wellKnownImage } from './known-types.ts';
import { convertName } from './names.ts';
import { readImage } from './read-image.ts';
import { hclAttribute, hclBlock, quoteText, type HclNode } from './write-hcl.ts';
import { YamlFields } from './yaml-fields.ts';
import type { YamlMap, YamlSpan } from './yaml-tree.ts';

/** The resource types of the pipeline, and the blocks that declare them in Millrace. */
export class ResourceTypes {
  readonly nodes: HclNode[] = [];
  readonly #declared = new Map<string, { label: string; defaults: YamlMap | undefined }>();
  readonly #wellKnown = new Map<string, string>();
  readonly #conversion: Conversion;

  constructor(top: YamlFields, conversion: Conversion) {
    this.#conversion = conversion;
    for (const item of top.list('resource_types')) {
      if (item.kind === 'map') this.#declare(item);
      else conversion.error(item.span, 'resource_types must be a list of maps', 'Write a map.');
    }
  }

  isDeclared(type: string): boolean {
    return this.#declared.has(type);
  }

  /** The fields that the type adds to the source of each resource. Undefined: it adds none. */
  defaultsOf(type: string): YamlMap | undefined {
    return this.#declared.get(type)?.defaults;
  }

  /**
   * The label of a resource type in Millrace. A type that every Concourse worker has is declared when it is
   * first used. An unknown type is reported.
   */
  labelOf(type: string, isBuiltInGit: boolean, span: YamlSpan): string {
    if (isBuiltInGit) return 'git';
    const known = this.#declared.get(type)?.label ?? this.#wellKnown.get(type);
    if (known !== undefined) return known;
    const image = wellKnownImage(type);
    if (image === undefined) {
      const help = 'Declare it in resource_types.';
      this.#conversion.error(span, `there is no resource type "${type}"`, help);
      return type;
    }
    const label = this.#newLabel(type === 'git' ? 'git-resource' : type, span);
    this.#wellKnown.set(type, label);
    if (!image.includes(':'))
      this.nodes.push({ kind: 'comment', text: 'Pin the image to a version or a digest.' });
    if (NEEDS_PRIVILEGES.has(type))
      this.#conversion.leaveOut(
        this.nodes,
        span,
        `${type} needs privileges, which no type gets: use registry-image`,
      );
    this.#write(label, quoteText([image]));
    return label;
  }

  #declare(item: YamlMap): void {
    const fields = new YamlFields(item, 'a resource type', this.#conversion);
    const name = fields.needed('name');
    const comments: HclNode[] = [];
    fields.leaveOut(comments, {
      privileged: 'no type gets privileges',
      unique_version_history: 'a resource has its own history',
    });
    const defaults = fields.map('defaults');
    if (name === undefined) return;
    if (this.#declared.has(name)) {
      this.#conversion.error(item.span, `there are two resource types "${name}"`, 'Rename one of them.');
      return;
    }
    const label = this.#newLabel(name, item.span);
    this.#declared.set(name, { label, defaults });
    const otherFields = new Set(['privileged', 'unique_version_history', 'defaults']);
    const image = { ...item, entries: item.entries.filter(({ key }) => !otherFields.has(key)) };
    const reference = readImage(image, comments, this.#conversion);
    this.nodes.push(...comments);
    if (reference === undefined) this.nodes.push({ kind: 'comment', text: 'Name the image of the type.' });
    this.#write(label, reference ?? quoteText(['change-me']));
  }

  /** A label for a type of this name: one that no other type of the pipeline has. */
  #newLabel(name: string, span: YamlSpan): string {
    const taken = new Set([
      ...Array.from(this.#declared.values(), ({ label }) => label),
      ...this.#wellKnown.values(),
    ]);
    return convertName(name, { taken, span, allowed: 'type' }, this.#conversion);
  }

  #write(label: string, image: string): void {
    const body = [hclAttribute('protocol', quoteText(['concourse'])), hclAttribute('image', image)];
    this.nodes.push(hclBlock('resource_type', [label], body));
  }
}
