import { beforeAll, describe, expect, test } from '@jest/globals';
import { buildEngine } from '#adapters/hcl/build.ts';
import { millrace } from '#testing/cli/command-line.ts';

beforeAll(async () => {
  await buildEngine();
}, 600_000);

/** Validates a file of manifests. Returns the first line of each finding, and the verdicts. */
async function validate(source: string): Promise<string[]> {
  const { exit, out, err } = await millrace('millrace validate -', { input: source });
  expect(err).toBe('');
  const lines = out.split('\n').filter((line) => line.startsWith('<stdin>'));
  expect(exit).toBe(lines.some((line) => line.includes(': error[')) ? 1 : 0);
  return lines;
}

const HEAD = `apiVersion: millrace.dev/v1alpha1
kind: Pipeline
metadata: {name: app}
spec:
`;
const GOOD = 'job "a" {\\n  task "t" {\\n    run "exec" { path = "true" }\\n  }\\n}\\n';
const BROKEN = 'job \\"a\\" { x = 1 }';

const indented = (text: string, by: number): string => text.replaceAll(/^(?=.)/gm, ' '.repeat(by));

const unknownAttributeAt = (line: number, column: number): unknown =>
  expect.stringMatching(new RegExp(`^<stdin>:${line}:${column}: error\\[unknown-attribute\\]`));

describe('the Pipelines in a List are validated', () => {
  const item = `${HEAD}  config: |\n    job "a" {\n      x = 1\n    }\n`;
  const noSteps: unknown = expect.stringContaining('warning[job-without-steps]');

  test('in the format of kubectl', async () => {
    const source = `apiVersion: v1\nkind: List\nitems:\n- ${indented(item, 2).trimStart()}`;
    expect(await validate(source)).toEqual([
      noSteps,
      unknownAttributeAt(10, 9),
      '<stdin>, app: not valid, 1 error, 1 warning',
    ]);
  });

  test('in JSON on one line', async () => {
    const spec = `{"config":"${BROKEN}"}`;
    const pipeline = `{"apiVersion":"millrace.dev/v1alpha1","kind":"Pipeline","metadata":{"name":"app"},"spec":${spec}}`;
    const source = `{"apiVersion":"v1","items":[${pipeline}],"kind":"List"}`;
    expect((await validate(source)).at(-1)).toBe('<stdin>, app: not valid, 1 error, 1 warning');
  });

  test('in a PipelineList, whose items have no kind', async () => {
    const short = item.replace(/^.*\n.*\n/, '');
    const source = `apiVersion: millrace.dev/v1alpha1\nkind: PipelineList\nitems:\n- ${indented(short, 2).trimStart()}`;
    expect((await validate(source)).at(-1)).toBe('<stdin>, app: not valid, 1 error, 1 warning');
  });

  test('in a nested List that also contains the ConfigMap with the text', async () => {
    const pipeline = `${HEAD}  configFrom: {configMapKeyRef: {name: texts, key: a}}\n`;
    const inner = `apiVersion: v1\nkind: List\nitems:\n- ${indented(pipeline, 2).trimStart()}`;
    const texts =
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: texts}\ndata:\n  a: |\n    job "a" { x = 1 }\n';
    const source =
      `apiVersion: v1\nkind: List\nitems:\n- ${indented(inner, 2).trimStart()}- ` +
      indented(texts, 2).trimStart();
    expect(await validate(source)).toEqual([
      noSteps,
      unknownAttributeAt(17, 17),
      '<stdin>, app: not valid, 1 error, 1 warning',
    ]);
  });

  test('unless the List contains itself', async () => {
    expect(
      await validate('apiVersion: v1\nkind: List\nitems: &items\n- {kind: List, items: *items}\n'),
    ).toEqual(['<stdin>: warning[no-pipeline]: the file has no Pipeline']);
  });
});

describe('validate reports what the API server would refuse:', () => {
  const config = `  config: "${GOOD.replaceAll('"', '\\"')}"\n`;
  const cases: Record<string, [source: string, ...findings: string[]]> = {
    'a number and a boolean for variables': [
      `${HEAD}  vars: {n: 3, "flag": true}\n  config: |\n    variable "n" { type = number }\n` +
        `    variable "flag" { type = bool }\n    ${GOOD.replaceAll('\\n', '\n    ')}`,
      '<stdin>:5:13: error[invalid-manifest]: the value of the variable "n" in spec.vars is a number, not a string',
      '<stdin>:5:24: error[invalid-manifest]: the value of the variable "flag" in spec.vars is a boolean, not a string',
    ],
    'a list for a variable': [
      `${HEAD}  vars: {l: [1, 2]}\n  config: |\n    variable "l" { type = list(number) }\n` +
        `    ${GOOD.replaceAll('\\n', '\n    ')}`,
      '<stdin>:5:13: error[invalid-manifest]: the value of the variable "l" in spec.vars is a list, not a string',
    ],
    'variables that are not a map': [
      `${HEAD}  vars: [a]\n${config}`,
      '<stdin>:5:9: error[invalid-manifest]: spec.vars is not a map of strings',
    ],
    'both config and configFrom': [
      `${HEAD}${config}  configFrom: {configMapKeyRef: {name: a, key: b}}\n`,
      '<stdin>:6:3: error[invalid-manifest]: spec has both config and configFrom',
    ],
    'a missing name': [
      `${HEAD.replace('name: app', 'labels: {}')}${config}`,
      '<stdin>:3:1: error[invalid-manifest]: the Pipeline has no name',
    ],
    'an invalid name': [
      `${HEAD.replace('app', 'App_1')}${config}`,
      '<stdin>:3:18: error[invalid-manifest]: "App_1" cannot be the name of a Pipeline',
    ],
    'an unknown version': [
      `${HEAD.replace('v1alpha1', 'v1beta9')}${config}`,
      '<stdin>:1:13: error[invalid-manifest]: there is no version millrace.dev/v1beta9 of Pipelines',
    ],
    'a config that is a number': [
      `${HEAD}  config: 3\n`,
      '<stdin>:5:11: error[invalid-manifest]: spec.config of the Pipeline app is a number, not a string',
    ],
    'neither config nor configFrom': [
      `${HEAD}  paused: true\n`,
      '<stdin>:4:1: error[invalid-manifest]: the Pipeline app has no text',
    ],
  };
  test.each(Object.entries(cases))('%s', async (_name, [source, ...findings]) => {
    expect((await validate(source)).filter((line) => line.includes(']: '))).toEqual(findings);
  });

  test('metadata.generateName is accepted as a name', async () => {
    const source = `${HEAD.replace('name: app', 'generateName: app-')}${config}`;
    expect(await validate(source)).toEqual(['<stdin>: valid, 1 job, 0 resources']);
  });
});

describe('validate reports invalid YAML:', () => {
  test('aliases that expand too far', async () => {
    const source =
      `a: &a [x, x]\nb: &b [${Array(40).fill('*a').join()}]\nc: [${Array(40).fill('*b').join()}]\n` +
      'apiVersion: v1\n';
    expect(await validate(source)).toEqual([
      expect.stringMatching(
        /^<stdin>:1:1: error\[invalid-manifest\]: the aliases of the document cannot be resolved: /,
      ),
    ]);
  });

  test('an alias without an anchor', async () => {
    expect(await validate('apiVersion: v1\na: *b\n')).toEqual([
      expect.stringMatching(/^<stdin>:\d+:\d+: error\[invalid-manifest\]: .*alias/i),
    ]);
  });

  test('nesting that is too deep', async () => {
    expect(await validate(`{"apiVersion": "v1", "a": ${'['.repeat(100_000)}`)).toEqual([
      expect.stringMatching(/^<stdin>.*: error\[invalid-manifest\]: /),
    ]);
  });
});

describe('a finding names its line and column in the manifest for', () => {
  const cases: Record<string, [config: string, finding: string]> = {
    'a duplicate name, and the line of the first': [
      'job "a" {}\njob "a" {}\n',
      '<stdin>:7:9: error[duplicate-name]: there is already a job "a" in line 6',
    ],
    'a repeated attribute, and the line of the first': [
      'job "a" {\n  interruptible = true\n  interruptible = true\n}\n',
      '<stdin>:8:7: error[syntax-error]: Attribute redefined: The argument "interruptible" was ' +
        'already set in line 7. Each argument may be set only once',
    ],
    'an unterminated heredoc': [
      'job "a" {\n  task "t" {\n    run "shell" {\n      cmd = <<EOT\n      make\n',
      '<stdin>:9:17: error[syntax-error]: Unterminated template string: No closing marker was found for the string',
    ],
  };
  test.each(Object.entries(cases))('%s', async (_name, [config, finding]) => {
    const source = `${HEAD}  config: |\n${indented(config, 4)}  paused: true\n`;
    expect((await validate(source)).filter((line) => line.includes(': error['))).toEqual([finding]);
  });

  test('a pipeline on one line, with the line and column within the HCL text in the message', async () => {
    const source = `${HEAD}  config: "job \\"a\\" {}\\njob \\"a\\" {}\\n"\n`;
    expect((await validate(source)).filter((line) => line.includes(': error['))).toEqual([
      '<stdin>:5:11: error[duplicate-name]: there is already a job "a" in line 1 (line 2, column 5 of the text)',
    ]);
  });
});

test('validate accepts a missing value that a Secret may provide', async () => {
  const config = 'variable /* "b" */ "a" { type = string }\n';
  const source =
    `${HEAD}  varsFrom: [{secretRef: {name: more}}]\n  config: |\n` +
    indented(config + GOOD.replaceAll('\\n', '\n'), 4);
  expect(await validate(source)).toEqual(['<stdin>, app: valid, 1 job, 0 resources']);
});

test('validate names the line and column of a variable whose name is too long for the message', async () => {
  const source = `${HEAD}  vars: {${'a'.repeat(600)}: x}\n  config: |\n    ${GOOD.replaceAll('\\n', '\n    ')}\n`;
  const start = `a value is given for the variable "${'a'.repeat(600)}`.slice(0, 499);
  expect((await validate(source)).filter((line) => line.includes('warning['))).toEqual([
    `<stdin>:5:10: warning[variable-undeclared]: ${start}…`,
  ]);
});

test('validate warns about a value for a variable that is not declared', async () => {
  const texts = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: more}\ndata: {b: x}\n';
  const source =
    `${HEAD}  vars: {a: x}\n  varsFrom: [{configMapRef: {name: more}}]\n  config: |\n` +
    `    ${GOOD.replaceAll('\\n', '\n    ')}\n---\n${texts}`;
  expect((await validate(source)).filter((line) => line.includes('warning['))).toEqual([
    '<stdin>:18:8: warning[variable-undeclared]: a value is given for the variable "b", which is not declared',
    '<stdin>:5:10: warning[variable-undeclared]: a value is given for the variable "a", which is not declared',
  ]);
});
