import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { millrace } from '#testing/cli/command-line.ts';
import { fences, ROOT } from './markdown.ts';

const MANIFEST = `apiVersion: millrace.dev/v1alpha1
kind: Pipeline
metadata:
  name: app
  namespace: mine
spec:
  config: |
    resource "cron" "day" {}

    job "a" {
      get "cron" "day" {
        triger = true
      }
    }
`;

test.each([
  ['docs/how-to/validate-offline.md', 'deploy/pipeline.yaml', MANIFEST],
  ['docs/how-to/command-line.md', 'app.hcl', 'job "x" {\n  tsk "b" {}\n}\n'],
])('%s shows the errors of %s as the command prints them', async (page, file, text) => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-outputs-'));
  try {
    const path = join(folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    const { exit, out } = await millrace(`millrace validate ${path}`);
    const shown = fences(readFileSync(join(ROOT, page), 'utf8')).find((fence) => fence.text.startsWith(file));
    expect(exit).toBe(1);
    expect(out.replaceAll(path, file)).toBe(shown?.text);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
