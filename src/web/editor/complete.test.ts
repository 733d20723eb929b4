import { describe, expect, test } from '@jest/globals';
import { suggestAt, type KnownType } from './complete.ts';

const TYPES: KnownType[] = [
  { kind: 'resource_type', name: 'git', params: ['uri', 'branch'], description: 'Commits of a repository.' },
  { kind: 'service_type', name: 'redis', params: ['version'], description: 'A Redis server.' },
  { kind: 'runner_type', name: 'shell', params: ['cmd'], description: 'Runs a script.' },
  { kind: 'runner_type', name: 'docker', params: ['image'], description: 'Runs an image.' },
];

const DECLARED = 'resource "git" "app" {}\nnotification "slack" "team" {}\njob "unit" {}\n';

/** The labels of the suggestions at the mark `|`. */
function labelsAt(text: string): string[] {
  const at = text.indexOf('|');
  return suggestAt(text.replace('|', ''), at, TYPES).suggestions.map(({ label }) => label);
}

describe('the editor suggests', () => {
  test.each<[sentence: string, text: string, some: string[]]>([
    ['outside of all blocks: the blocks of a pipeline', '|', ['job', 'resource', 'variable']],
    ['in a job: its attributes and steps', 'job "a" {\n  |\n}', ['timeout', 'get', 'task', 'on_failure']],
    ['a word that has begun', 'job "a" {\n  ti|', ['timeout']],
    [
      'in a command: the attributes of its runner',
      'job "a" {\n task "t" {\n run "shell" {\n |',
      ['cmd', 'file'],
    ],
    ['in the label of a command: the runners', 'job "a" {\n task "t" {\n run "|', ['shell', 'docker']],
    ['in the first label of a resource: the types', 'resource "|', ['git']],
    ['in the label of a service: the types', 'job "a" {\n service "|', ['redis']],
    ['in params: the parameters of the type', 'resource "git" "a" {\n params {\n |', ['uri', 'branch']],
    ['in a service: the parameters of the type', 'job "a" {\n service "redis" {\n |', ['version', 'timeout']],
    ['in a get: the types of the resources here', `${DECLARED}job "a" {\n get "|`, ['git']],
    ['after its type: the names of the resources', `${DECLARED}job "a" {\n get "git" "|`, ['app']],
    ['in a notify: the notifications here', `${DECLARED}job "a" {\n notify "slack" "|`, ['team']],
    ['in passed: the jobs here', `${DECLARED}job "a" {\n get "git" "app" {\n passed = ["|`, ['unit', 'a']],
    [
      'in a value with choices: the choices',
      'job "a" {\n get "git" "app" {\n version = "|',
      ['every', 'latest'],
    ],
    ['in a value that is true or false', 'job "a" {\n get "git" "app" {\n trigger = |', ['true', 'false']],
    ['after a heredoc', 'job "a" {\n task "t" {\n env = <<EOT\n } {\nEOT\n |', ['inputs', 'run']],
    ['after a template with brackets', 'job "a" {\n timeout = "${x["}"]}"\n |', ['tags']],
    ['in a hook without a label: its steps', 'job "a" {\n ensure {\n |', ['task', 'put', 'notify']],
  ])('%s', (_, text, some) => {
    expect(labelsAt(text)).toEqual(expect.arrayContaining(some));
  });

  test('the types of declared notifications in a notify, and describes them as such', () => {
    const text = `${DECLARED}job "a" {\n notify "`;
    expect(suggestAt(text, text.length, TYPES).suggestions).toMatchObject([
      { label: 'slack', about: 'Type of a notification of this pipeline.' },
    ]);
  });

  test.each<[sentence: string, text: string]>([
    ['in a comment', 'job "a" {\n # |'],
    ['in a long comment', '/* job "a" {\n |'],
    ['in a heredoc', 'job "a" {\n x = <<-EOT\n |'],
    ['in the name of a job', 'job "|'],
    ['in a text without choices', 'job "a" {\n timeout = "|'],
    ['in an unknown block', 'job "a" {\n what {\n |'],
    ['in an object', 'job "a" {\n env = {\n |'],
    ['after the first word of a line', 'job |'],
  ])('nothing: %s', (_, text) => {
    expect(labelsAt(text)).toEqual([]);
  });
});

test('a suggestion replaces the word before the cursor, and has places to fill in', () => {
  const text = 'job "a" {\n  tas';
  const { from, suggestions } = suggestAt(text, text.length, TYPES);
  expect(text.slice(from)).toBe('tas');
  expect(suggestions.find(({ label }) => label === 'task')?.template).toBe('task "${name}" {\n\t${}\n}');
  expect(suggestions.find(({ label }) => label === 'timeout')?.template).toBe('timeout = "${}"');
});
