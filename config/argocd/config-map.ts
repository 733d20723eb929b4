import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** `argocd-cm` with the health check of `health.lua` in it; a wildcard works only under this key. */
export function argocdConfigMap(lua: string): string {
  const indented = lua
    .trimEnd()
    .split('\n')
    .map((line) => (line === '' ? '' : `        ${line}`))
    .join('\n');
  return `# Written from health.lua by \`node config/argocd/main.ts\`. Merge it into your argocd-cm:
#   kubectl --namespace argocd patch configmap argocd-cm --patch-file config/argocd/argocd-cm.yaml
apiVersion: v1
kind: ConfigMap
metadata:
  name: argocd-cm
  namespace: argocd
data:
  resource.customizations: |
    millrace.dev/*:
      health.lua: |
${indented}
`;
}

export const healthCheck = join(import.meta.dirname, 'health.lua');
export const configMapFile = join(import.meta.dirname, 'argocd-cm.yaml');

export function writeConfigMap(): void {
  writeFileSync(configMapFile, argocdConfigMap(readFileSync(healthCheck, 'utf8')));
}
