import { parseAllDocuments } from 'yaml';
import { binaryPath, foldersFrom } from '#tools/cluster/folders.ts';
import { run } from '#tools/cluster/run.ts';
import { chart } from './files.ts';

export interface RenderedObject {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string> };
  spec?: Record<string, unknown>;
  [field: string]: unknown;
}

/** helm of the embedded cluster; `node tools/cluster/main.ts build helm` builds it. */
export function helm(...args: string[]): Promise<string> {
  return run(binaryPath(foldersFrom(process.env), 'helm'), args);
}

/** Renders the chart with `helm template`. `values`: JSON by path, as for `--set-json`. */
export function render(
  values: Readonly<Record<string, unknown>> = {},
  release = 'millrace',
): Promise<string> {
  const setArguments = Object.entries(values).flatMap(([path, value]) => [
    '--set-json',
    `${path}=${JSON.stringify(value)}`,
  ]);
  return helm('template', release, chart, '--namespace', 'millrace-system', ...setArguments);
}

export async function manifests(
  values: Readonly<Record<string, unknown>> = {},
  release = 'millrace',
): Promise<RenderedObject[]> {
  const documents = parseAllDocuments(await render(values, release));
  return documents.map((document): RenderedObject => document.toJS()).filter((manifest) => manifest !== null);
}
