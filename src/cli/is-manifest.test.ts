import { describe, expect, test } from '@jest/globals';
import { isManifest } from './is-manifest.ts';

const HEREDOC = `job "a" {
  task "t" {
    run "shell" {
      cmd = <<-EOT
        kubectl apply -f - <<'YAML'
        apiVersion: v1
        kind: Namespace
        YAML
      EOT
    }
  }
}
`;

describe('isManifest recognizes the contents of a file without a known extension:', () => {
  const cases: Record<string, [source: string, manifest: boolean]> = {
    'a pipeline with a manifest in a heredoc': [HEREDOC, false],
    'a pipeline after comments': [`# apiVersion: v1\n// two\n/* three */\n${HEREDOC}`, false],
    'a manifest': ['apiVersion: v1\nkind: List\n', true],
    'a manifest that begins with another field': [
      'kind: Pipeline\napiVersion: millrace.dev/v1alpha1\n',
      true,
    ],
    'a manifest whose first fields are quoted': ['"kind": Pipeline\n"apiVersion": v1\n', true],
    'a manifest after comments and a marker': ['# made\n\n---\n# Source: x\napiVersion: v1\n', true],
    'a manifest after a byte order mark': ['\uFEFFapiVersion: v1\n', true],
    'a manifest with Windows line endings': ['\r\nmetadata:\r\n  name: a\r\napiVersion: v1\r\n', true],
    'JSON on one line': ['{"kind":"Pipeline","apiVersion":"millrace.dev/v1alpha1"}', true],
    'JSON with its first field beside the brace': ['{ "apiVersion": "v1",\n  "items": [] }', true],
    'an empty file': ['', false],
    'a key and a colon, but no manifest': ['job: "a"\n', false],
  };
  test.each(Object.entries(cases))('%s', (_name, [source, manifest]) => {
    expect(isManifest('<stdin>', source)).toBe(manifest);
  });
});

test.each([
  ['a.hcl', false],
  ['a.YAML', true],
  ['a.yml', true],
  ['a.json', true],
])('isManifest decides by a known extension: %s', (file, manifest) => {
  expect(isManifest(file, manifest ? 'job "a" {}' : 'apiVersion: v1')).toBe(manifest);
});
