import { readFileSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { buildEngine } from '#adapters/hcl/build.ts';
import { millrace } from '#testing/cli/command-line.ts';
import { golden } from '#testing/jest/golden-file.ts';

const HERE = 'src/cli/testdata';

beforeAll(async () => {
  await buildEngine();
}, 600_000);

test('a file that is named twice is read once', async () => {
  const once = await millrace('millrace validate src/cli/testdata/good.hcl');
  expect(await millrace('millrace validate src/cli/testdata/good.hcl src/cli/testdata/good.hcl')).toEqual(
    once,
  );
});

describe('the output equals the recorded file (`jest -u` records it; then read the difference)', () => {
  const cases: Record<string, { line: string; input?: string; colour?: boolean }> = {
    'validate-good': { line: 'millrace validate src/cli/testdata/good.hcl' },
    'validate-wrong': { line: 'millrace validate src/cli/testdata/wrong.hcl' },
    'validate-colour': { line: 'millrace validate src/cli/testdata/syntax.hcl', colour: true },
    'validate-wide-letters': { line: 'millrace validate src/cli/testdata/wide.hcl' },
    'validate-manifest': { line: 'millrace validate src/cli/testdata/manifest.yaml' },
    'validate-manifests-faults': {
      line:
        'millrace validate src/cli/testdata/no-text.yaml src/cli/testdata/not-yaml.yaml ' +
        'src/cli/testdata/values-missing.yaml config/samples/team.yaml',
    },
    'validate-variables': {
      line:
        'millrace validate --var branch=main --vars src/cli/testdata/vars.json ' +
        'src/cli/testdata/values-missing.yaml',
    },
    'validate-fetched-source': { line: 'millrace validate src/cli/testdata/fetched.hcl' },
    'validate-fetched-among-others': { line: 'millrace validate src/cli/testdata/fetched-among-others.hcl' },
    'validate-stdin': { line: 'millrace validate -', input: 'job "a" {\n  tsk "x" {}\n}\n' },
    'validate-json': {
      line:
        'millrace validate --output json src/cli/testdata/good.hcl src/cli/testdata/manifest.yaml ' +
        'src/cli/testdata/no-text.yaml',
    },
    'validate-sarif': {
      line: 'millrace validate --output sarif src/cli/testdata/wide.hcl src/cli/testdata/no-text.yaml',
    },
    'fmt-check': { line: 'millrace fmt --check src/cli/testdata/good.hcl src/cli/testdata/unformatted.yaml' },
    'fmt-syntax-error': {
      line: 'millrace fmt src/cli/testdata/syntax.hcl src/cli/testdata/values-missing.yaml',
    },
    'fmt-stdin': { line: 'millrace fmt', input: 'job "a" {\n      interruptible=true\n}\n' },
    'graph-dot': { line: 'millrace graph src/cli/testdata/good.hcl' },
    'graph-hide-intermediates': { line: 'millrace graph src/cli/testdata/good.hcl --hide-intermediates' },
    'graph-of-wrong': { line: 'millrace graph src/cli/testdata/syntax.hcl' },
    'graph-of-fetched-source': { line: 'millrace graph src/cli/testdata/fetched.hcl' },
    plan: { line: 'millrace plan src/cli/testdata/good.hcl --job publish' },
    'plan-colour': { line: 'millrace plan src/cli/testdata/good.hcl --job unit', colour: true },
    'plan-services': { line: 'millrace plan src/cli/testdata/services.hcl' },
    'types-list': { line: 'millrace types list' },
    'types-list-json': { line: 'millrace types list --kind secret_type --output json' },
    'types-show': { line: 'millrace types show svc://redis' },
    'types-show-runner': { line: 'millrace types show svc://shell' },
    'types-show-without-definition': { line: 'millrace types show cron' },
    'types-no-such-type': { line: 'millrace types show svc://gitt' },
    'plan-no-such-job': { line: 'millrace plan src/cli/testdata/good.hcl --job unti' },
  };
  test.each(Object.entries(cases))('%s', async (name, { line, ...options }) => {
    const { exit, out, err } = await millrace(line, options);
    const transcript = [
      `$ ${line}`,
      out,
      ...(err === '' ? [] : ['--- standard error', err]),
      `--- exit code ${exit}`,
      '',
    ];
    expect(transcript.join('\n')).toBe(golden(join(HERE, `${name}.txt`), transcript.join('\n')));
  });
});

describe('a usage error', () => {
  const cases: Record<string, [line: string, message: string]> = {
    'a file that is not there': ['millrace validate nowhere.hcl', 'nowhere.hcl cannot be read: no such file'],
    'a folder': ['millrace validate src', 'src is a folder: name the files in it'],
    'a variable without a value': [
      'millrace validate --var branch src/cli/testdata/good.hcl',
      '--var branch: write it as --var <name>=<value>',
    ],
    'variables that are not JSON': [
      'millrace validate --vars src/cli/testdata/good.hcl src/cli/testdata/good.hcl',
      'src/cli/testdata/good.hcl is not JSON: ',
    ],
    'variables that are not an object': [
      'millrace validate --vars - src/cli/testdata/good.hcl',
      '<stdin> is not a JSON object: write {"<name>": <value>, …}',
    ],
    'a file of several pipelines': [
      'millrace graph src/cli/testdata/manifest.yaml',
      'src/cli/testdata/manifest.yaml has 2 Pipelines: choose one of demo/wrong, demo/elsewhere with --pipeline',
    ],
    'a pipeline that is not in the file': [
      'millrace graph src/cli/testdata/manifest.yaml --pipeline other',
      'src/cli/testdata/manifest.yaml has no Pipeline other; it has demo/wrong, demo/elsewhere',
    ],
    'a pipeline with another name than the HCL file': [
      'millrace graph src/cli/testdata/good.hcl --pipeline other',
      'src/cli/testdata/good.hcl has no Pipeline other; it has good',
    ],
    'a file without pipelines': [
      'millrace graph config/samples/team.yaml',
      'config/samples/team.yaml has no Pipeline',
    ],
    'a picture into a folder that does not exist': [
      'millrace graph src/cli/testdata/good.hcl -o nowhere/x.dot',
      'nowhere/x.dot cannot be written: no such file',
    ],
    'a picture in an unknown format': [
      'millrace graph src/cli/testdata/good.hcl -o x.PDF',
      'x.PDF: unknown picture format .pdf: use .dot, .svg or .png, or add --output',
    ],
  };
  test.each(Object.entries(cases))('%s', async (_name, [line, message]) => {
    const { exit, out, err } = await millrace(line, { input: '[1]' });
    expect([exit, out]).toEqual([2, '']);
    expect(err).toMatch(/^millrace: .*\n$/);
    expect(err).toContain(message);
  });

  test('is a PNG picture on a terminal', async () => {
    const { exit, err } = await millrace('millrace graph src/cli/testdata/good.hcl --output png', {
      isScreen: true,
    });
    expect([exit, err]).toEqual([
      2,
      'millrace: a terminal cannot show a PNG: name a file with -o, or pipe the output\n',
    ]);
  });
});

const manifest = (namespace: string, name: string): string =>
  '---\napiVersion: millrace.dev/v1alpha1\nkind: Pipeline\n' +
  `metadata: {namespace: ${namespace}, name: ${name}}\nspec:\n  config: |\n    job "a" {}\n`;

describe('--pipeline', () => {
  test('lists the pipelines that match, if several do', async () => {
    const input = manifest('a', 'app') + manifest('b', 'app') + manifest('c', 'other');
    expect(await millrace('millrace graph - --pipeline app', { input })).toMatchObject({
      exit: 2,
      err: expect.stringContaining('has 2 Pipelines: choose one of a/app, b/app with --pipeline\n'),
    });
  });

  test('takes the name of an HCL file without .hcl', async () => {
    const { exit, out } = await millrace('millrace graph src/cli/testdata/good.hcl --pipeline good');
    expect([exit, out]).toEqual([0, expect.stringMatching(/^digraph "good" \{/)]);
  });
});

describe('a command that works on files', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-cli-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  test('formats the pipeline in a manifest and keeps the rest (fmt)', async () => {
    const file = join(folder, 'pipeline.yaml');
    await cp(join(HERE, 'unformatted.yaml'), file);
    expect(await millrace(`millrace fmt ${file}`)).toMatchObject({ exit: 0, out: `${file}\n`, err: '' });
    const formatted = await readFile(file, 'utf8');
    expect(formatted).toBe(golden(join(HERE, 'formatted.yaml'), formatted));
    expect(await millrace(`millrace fmt --check ${file}`)).toMatchObject({ exit: 0, out: '' });
  });

  test('names the Pipeline that it cannot format, and formats the others (fmt)', async () => {
    const file = join(folder, 'several.yaml');
    const head = 'apiVersion: millrace.dev/v1alpha1\nkind: Pipeline\nmetadata: {name: folded}\nspec:\n';
    const folded = `${head}  config: >\n    job "a" {}\n---\n`;
    await writeFile(file, `${folded}${readFileSync(join(HERE, 'unformatted.yaml'), 'utf8')}`);
    const { exit, out, err } = await millrace(`millrace fmt ${file}`);
    expect([exit, out]).toEqual([1, `${file}\n`]);
    expect(err).toContain(
      `${file}:5:11: error[invalid-manifest]: the text of the Pipeline folded is not a block`,
    );
    expect(await readFile(file, 'utf8')).toBe(
      `${folded}${readFileSync(join(HERE, 'formatted.yaml'), 'utf8')}`,
    );
  });

  test('keeps the line endings of a file (fmt)', async () => {
    const file = join(folder, 'windows.yaml');
    await writeFile(file, readFileSync(join(HERE, 'unformatted.yaml'), 'utf8').replaceAll('\n', '\r\n'));
    await millrace(`millrace fmt ${file}`);
    expect(await readFile(file, 'utf8')).toBe(
      readFileSync(join(HERE, 'formatted.yaml'), 'utf8').replaceAll('\n', '\r\n'),
    );
  });

  test('writes pictures to files in the format of their names (graph)', async () => {
    for (const kind of ['dot', 'svg', 'png']) {
      const { exit, out } = await millrace(
        `millrace graph src/cli/testdata/good.hcl -o ${join(folder, `x.${kind}`)}`,
      );
      expect([exit, out]).toEqual([0, '']);
    }
    expect(await readFile(join(folder, 'x.dot'), 'utf8')).toMatch(/^digraph "good" \{/);
    expect(await readFile(join(folder, 'x.svg'), 'utf8')).toContain('aria-label="Pipeline good"');
    const { format, width } = await sharp(join(folder, 'x.png')).metadata();
    expect([format, width > 500]).toEqual(['png', true]);
  });
});

test('writes a picture to standard output if that is redirected (graph)', async () => {
  const { bytes } = await millrace('millrace graph src/cli/testdata/good.hcl --output png');
  expect((await sharp(bytes).metadata()).format).toBe('png');
});

test.each(['validate', 'graph', 'plan --job unit'])('%s closes the compiler that it opened', async (verb) => {
  const calls: string[] = [];
  const openCompiler = () => {
    calls.push('opened');
    return {
      compile: async () => {
        calls.push('compiled');
        throw new Error('no compiler today');
      },
      close: async () => void calls.push('closed'),
    };
  };
  const { err } = await millrace(`millrace ${verb} src/cli/testdata/good.hcl`, { openCompiler });
  expect(err).toContain('no compiler today');
  expect(calls).toEqual(['opened', 'compiled', 'closed']);
});
