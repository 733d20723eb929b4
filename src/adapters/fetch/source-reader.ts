import { createHash } from 'node:crypto';
import { LIMITS } from '#domain/pipeline/limits.ts';
import type { SourceReader, SourceRules } from '#flows/pipelines/manifest-ports.ts';
import type { GuardedFetch } from './guarded-fetch.ts';

/**
 * Reads the content of a `source`: `svc://<name>` from the installation's registry, anything else from its
 * URL. `registry`: base URL of the registry; undefined if there is none.
 */
export function sourceReader(fetch: GuardedFetch, registry: string | undefined): SourceReader {
  return {
    async read(source, rules) {
      const url = urlOf(source, registry);
      if (url === undefined)
        return { failure: 'nothing of that name is built in, and there is no registry', transient: false };
      const answer = await fetch.get(url, isOfRegistry(source) ? registryRules(url) : rules);
      if ('failure' in answer) return answer;
      const text = textOf(answer.bytes);
      if (text === undefined) return { failure: 'it is not text in UTF-8', transient: false };
      return { text, digest: digestOf(answer.bytes) };
    },
    digest: (parts) => createHash('sha256').update(JSON.stringify(parts)).digest('hex'),
  };
}

export const MAX_SOURCE_BYTES = LIMITS.bytes;

/** The rules of the team do not apply to the registry, because the admin of the installation chose it. */
const registryRules = (url: string): SourceRules => ({ allowHttp: url.startsWith('http:') });

const REGISTRY_SCHEME = 'svc://';

const isOfRegistry = (source: string): boolean => source.startsWith(REGISTRY_SCHEME);

function urlOf(source: string, registry: string | undefined): string | undefined {
  if (!isOfRegistry(source)) return source;
  if (registry === undefined) return undefined;
  return `${registry.replace(/\/$/, '')}/${source.slice(REGISTRY_SCHEME.length)}.hcl`;
}

function textOf(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const digestOf = (bytes: Buffer): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
