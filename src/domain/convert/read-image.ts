import { isImage } from '#domain/pipeline/read-command.ts';
import type { Conversion } from './conversion.ts';
import { parseReference, REFERENCE } from './variable-table.ts';
import { quoteText, type HclNode } from './write-hcl.ts';
import { templateParts } from './write-value.ts';
import { YamlFields } from './yaml-fields.ts';
import { textOfScalar, yamlAt, type YamlMap } from './yaml-tree.ts';

/** Concourse resource types whose resources are images of a registry. */
const REGISTRY_TYPES = ['registry-image', 'docker-image'];

/**
 * The image of a task or a resource type, as an HCL expression. Undefined: there is none, which was reported.
 * A field without a counterpart becomes a comment in `body`.
 */
export function readImage(map: YamlMap, body: HclNode[], conversion: Conversion): string | undefined {
  const fields = new YamlFields(map, 'an image', conversion);
  const type = fields.needed('type');
  const source = fields.map('source');
  const digest = textOfScalar(yamlAt(fields.map('version'), 'digest'));
  fields.leaveOut(body, {
    params: 'a node pulls the image as a whole',
    tags: 'the Pod of the build pulls the image',
    check_every: 'name another tag or digest to change the image',
  });
  // If the map is a resource type, it also has the name of the type.
  fields.tree('name');
  fields.end(body);
  if (type === undefined) return undefined;
  if (!REGISTRY_TYPES.includes(type)) {
    const text = `The image comes from the resource type ${type}: only images of a registry have a counterpart`;
    conversion.leaveOut(body, map.span, text);
    return undefined;
  }
  if (source === undefined) {
    conversion.error(map.span, 'an image has no source', 'Add source with a repository.');
    return undefined;
  }
  return referenceOf(source, digest, { body, conversion });
}

/**
 * Whether the image is known only while the build runs, because a `load_var` reads a part of its reference.
 */
export function isKnownLate(map: YamlMap): boolean {
  const source = yamlAt(map, 'source');
  const parts = [
    yamlAt(source, 'repository'),
    yamlAt(source, 'tag'),
    yamlAt(yamlAt(map, 'version'), 'digest'),
  ];
  const text = parts.map((part) => textOfScalar(part) ?? '').join(' ');
  return [...text.matchAll(REFERENCE)].some(([, inner = '']) => parseReference(inner).source === '.');
}

/** The fields of the source that become part of the image reference. */
const IN_REFERENCE = new Set(['repository', 'tag']);

const CREDENTIALS = 'the Team has the credentials of registries';
const NO_SEARCH = 'Millrace does not look up tags, so the tag must name the image';
const TRUST = 'the nodes decide which registries they trust';

/** Why Millrace leaves out a field of the source that is not part of the image reference. */
const REASONS: Readonly<Record<string, string>> = {
  username: CREDENTIALS,
  password: CREDENTIALS,
  aws_access_key_id: CREDENTIALS,
  aws_secret_access_key: CREDENTIALS,
  aws_session_token: CREDENTIALS,
  aws_region: CREDENTIALS,
  aws_role_arn: CREDENTIALS,
  aws_role_arns: CREDENTIALS,
  aws_ecr_registry_id: CREDENTIALS,
  aws_account_id: CREDENTIALS,
  variant: 'write the variant in the tag, as in 1.25-alpine',
  semver_constraint: NO_SEARCH,
  pre_releases: NO_SEARCH,
  tag_regex: NO_SEARCH,
  created_at_sort: NO_SEARCH,
  platform: 'a node pulls the image for its own platform',
  registry_mirror: 'the nodes decide from where they pull',
  insecure: TRUST,
  insecure_registries: TRUST,
  ca_certs: TRUST,
  domain_certs: TRUST,
  client_certs: TRUST,
  content_trust: 'nothing verifies the signature of the image',
};

const whyLeftOut = (key: string): string =>
  (Object.hasOwn(REASONS, key) ? REASONS[key] : undefined) ?? 'a node pulls the image by its name only';

function referenceOf(
  source: YamlMap,
  digest: string | undefined,
  { body, conversion }: { body: HclNode[]; conversion: Conversion },
): string | undefined {
  const repository = textOfScalar(yamlAt(source, 'repository'));
  if (repository === undefined) {
    conversion.error(source.span, 'an image has no repository', 'Add repository to its source.');
    return undefined;
  }
  for (const { key, keySpan } of source.entries) {
    if (!IN_REFERENCE.has(key))
      conversion.leaveOut(body, keySpan, `${key} has no counterpart: ${whyLeftOut(key)}`);
  }
  const tag = textOfScalar(yamlAt(source, 'tag'));
  const text = `${repository}${tag === undefined ? '' : `:${tag}`}${digest === undefined ? '' : `@${digest}`}`;
  const parts = templateParts(text, source.span, 'plain', conversion);
  if (parts.every((part) => typeof part === 'string') && !isImage(text))
    conversion.error(
      source.span,
      `"${text}" is not the name of an image`,
      'Correct the repository and the tag.',
    );
  return quoteText(parts);
}
