import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { fences, pages, ROOT } from './markdown.ts';

/*
 * Other users of a machine can read the arguments of a command, so no documented or scripted command has a
 * password or token in them.
 */

const RULES: Readonly<Record<string, RegExp>> = {
  // The hash of a random token is not a secret.
  'a value of a Secret': /--from-literal[= ](?!tokens\.json=)/,
  'a header with a token': /(?:-H|--header)[= ]["'][^"']{0,40}(?:Authorization|X-Gitlab-Token)/i,
  'a body with a secret': /(?:--json|--data\S{0,10}|-d) ["'][^<@]{0,200}"\w{0,20}(?:password|secret)"/,
  'an option for a password or token': /--(?:password|token)[= ]["'$\w]/,
  'a chart value with a password': /--set(?:-string)? \S{0,60}(?:password|clientSecret|\.token)=/i,
  'an address with a password': /:\/\/[^\s/:@]{1,80}:[^\s/@]{1,80}@/,
};

/** The commands of a script with their arguments, without comments and here-documents. */
function commandsOf(script: string): string {
  return script
    .replaceAll(/<<-?\s*['"]?(\w+)['"]?([^\n]*)\n[\s\S]*?\n\s*\1$/gm, '$2')
    .replaceAll(/(?:^|\s)#[^\n]*/g, '');
}

const problemsIn = (script: string): string[] =>
  Object.entries(RULES)
    .filter(([, rule]) => rule.test(commandsOf(script)))
    .map(([rule]) => rule);

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const scripts: Record<string, string> = Object.fromEntries([
  ...pages().flatMap(({ path, text }) =>
    fences(text)
      .filter(({ word }) => ['sh', 'bash', 'console', 'yaml'].includes(word))
      .map((fence) => [`${path}:${fence.line}`, fence.text] as const),
  ),
  ...globSync(
    [
      'charts/**/NOTES.txt',
      'tools/**/*.sh',
      'tools/demo/*.ts',
      'config/samples/**/*.*',
      'e2e/**/*.ts',
      'Makefile',
    ],
    {
      cwd: ROOT,
    },
  ).map((path) => [path, read(path)] as const),
]);

describe('no command has a password or token among its arguments', () => {
  test('in documentation, chart notes, samples and scripts', () => {
    expect(Object.keys(scripts).length).toBeGreaterThan(50);
    const found = Object.entries(scripts).flatMap(([at, script]) =>
      problemsIn(script).map((rule) => `${at}: ${rule}`),
    );
    expect(found).toEqual([]);
  });

  test.each([
    ['a value of a Secret', 'kubectl create secret generic x --from-literal=token="$TOKEN"'],
    ['a header with a token', 'curl --header "Authorization: Bearer $token" https://ci.example.org'],
    ['a body with a secret', `curl "$base/auth/login" --json '{"username": "admin", "password": "x"}'`],
    [
      'a body with a secret',
      `api /admin/oauth-providers \\\n  --json '{"preset": "github", "client_secret": "x"}'`,
    ],
    ['an option for a password or token', 'millrace login https://ci.example.org --token $TOKEN'],
    ['a chart value with a password', 'helm upgrade x y --set postgres.password=x'],
    ['an address with a password', 'git clone https://me:secret@git.example.org/app.git'],
  ])('the check finds %s: %s', (rule, script) => expect(problemsIn(script)).toEqual([rule]));

  test.each([
    ['printf %s "$TOKEN" | kubectl create secret generic x --from-file=token=/dev/stdin'],
    [`api() { curl --header @<(printf 'Authorization: Bearer %s' "$token") "$base$1"; }`],
    ['api /users --json @ann.json   # {"password": "for the first day"}'],
    ['millrace login https://ci.example.org --token < token.txt'],
    [
      "kubectl create --filename - <<'EOF'\nstringData:\n  url: postgres://millrace:password@db.example.org\nEOF",
    ],
  ])('the check accepts %s', (script) => expect(problemsIn(script)).toEqual([]));
});
