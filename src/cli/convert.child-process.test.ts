import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { buildEngine } from '#adapters/hcl/build.ts';
import { millrace } from '#testing/cli/command-line.ts';
import { golden } from '#testing/jest/golden-file.ts';
import { offlineCommands } from './commands.ts';

const HERE = 'src/cli/testdata/convert';
const folder = mkdtempSync(join(tmpdir(), 'millrace-convert-'));

beforeAll(async () => {
  await buildEngine();
}, 600_000);

afterAll(() => rmSync(folder, { recursive: true }));

const names = readdirSync(HERE)
  .filter((file) => /^\d\d-.*\.yml$/.test(file))
  .map((file) => file.replace('.yml', ''));

/** The options that a pipeline needs, by the name of its file. */
const OPTIONS: Record<string, string> = {
  '06-variables': ` --var branch=main --vars ${HERE}/values.json`,
};

const convert = (file: string, options = ''): ReturnType<typeof millrace> =>
  millrace(`millrace convert --from concourse${options} ${file}`);

describe('the HCL from a pipeline of Concourse', () => {
  test.each(names)(
    'equals the recorded file, and so do the warnings (`jest -u` records them; then read them): %s',
    async (name) => {
      const { exit, out, err } = await convert(`${HERE}/${name}.yml`, OPTIONS[name]);
      expect(err).toBe(golden(`${HERE}/${name}.txt`, err));
      expect(out).toBe(golden(`${HERE}/${name}.hcl`, out));
      expect(exit).toBe(0);
    },
  );

  test('is valid and formatted', async () => {
    const files = names.map((name) => `${HERE}/${name}.hcl`).join(' ');
    expect(await millrace(`millrace validate ${files}`)).toMatchObject({ exit: 0 });
    expect(await millrace(`millrace fmt --check ${files}`)).toMatchObject({ exit: 0, out: '' });
  });

  test('has a comment for everything that has no counterpart', () => {
    for (const name of names) {
      const comments = readFileSync(`${HERE}/${name}.hcl`, 'utf8');
      const warnings = readFileSync(`${HERE}/${name}.txt`, 'utf8').matchAll(
        /no-counterpart\]: (.*no counterpart.*)/g,
      );
      for (const [, text] of warnings) expect(comments).toContain(`# ${text}`);
    }
  });
});

test('the pipelines have every field of the schema of Concourse', () => {
  const texts = names.map((name) => readFileSync(`${HERE}/${name}.yml`, 'utf8')).join('\n');
  const words = new Set(texts.match(/\b\w+(?=:)/g));
  expect(FIELDS.filter((field) => !words.has(field))).toEqual([]);
});

const FIELDS = `
  jobs resources resource_types var_sources groups display prototypes background_image
  background_filter config defaults privileged params tags name old_name type source icon version
  check_every check_timeout webhook_token expose_build_created_by unique_version_history public plan
  serial serial_groups max_in_flight build_log_retention days builds minimum_succeeded_builds
  build_logs_to_retain disable_manual_trigger interruptible on_success on_failure on_error on_abort
  ensure get resource passed trigger skip_download put inputs get_params no_get task file image vars
  container_limits input_mapping output_mapping hermetic set_pipeline instance_vars load_var format
  reveal in_parallel steps limit fail_fast do try across var values run timeout attempts platform
  image_resource rootfs_uri outputs caches path args dir user optional cpu memory repository digest
`
  .trim()
  .split(/\s+/);

describe('input that is wrong', () => {
  test('is reported with all its errors at once', async () => {
    const { exit, out, err } = await convert(`${HERE}/wrong.yml`);
    expect([exit, out]).toEqual([1, '']);
    expect(err).toBe(golden(`${HERE}/wrong.txt`, err));
  });

  const bomb = Array.from(
    { length: 12 },
    (_, at) => `x-${at}: &a${at} [${at === 0 ? '1' : `*a${at - 1},`.repeat(9)}]\n`,
  );
  const cases: Record<string, [yaml: string, message: string]> = {
    'text that is not YAML': ['jobs: [\n', 'this is not YAML: '],
    'several documents': ['jobs: []\n---\njobs: []\n', 'there are several YAML documents'],
    'an alias without an anchor': ['jobs: *plan\n', 'anchor'],
    'aliases that expand without bound': [bomb.join(''), 'the YAML has too many values'],
    'an alias of a list that contains it': ['jobs: &all [*all]\n', 'the YAML is nested too deeply'],
    'a deeply nested text': [
      `jobs: ${'['.repeat(5000)}${']'.repeat(5000)}\n`,
      'the YAML is nested too deeply',
    ],
    'nothing at all': ['', 'the pipeline is not a map'],
    'a merge of a text': ['jobs: []\n<<: text\n', '<< must merge a map'],
    'a number without an end': ['jobs: .inf\n', 'this number cannot be stored exactly'],
    'a number with too many digits': ['jobs: 12345678901234567890\n', 'this number cannot be stored exactly'],
    'no jobs': ['jobs: []\n', 'the pipeline has no jobs'],
  };
  test.each(Object.entries(cases))('is refused: %s', async (_name, [input, message]) => {
    const { exit, out, err } = await millrace('millrace convert --from concourse -', { input });
    expect([exit, out]).toEqual([1, '']);
    expect(err).toContain(message);
    expect(err).toMatch(/<stdin>: not converted, \d+ errors?\n$/);
  });

  test('is refused if it is larger than 1 MiB', async () => {
    const input = `# ${'x'.repeat(1024 * 1024)}\n`;
    expect(await millrace('millrace convert --from concourse -', { input })).toMatchObject({
      exit: 2,
      out: '',
      err: 'millrace: <stdin> is larger than the limit of 1 MiB\n',
    });
  });
});

test('a file that cannot be written is a usage error', async () => {
  const { exit, err } = await convert(`${HERE}/10-everything-else.yml`, ' -o nowhere/app.hcl');
  expect([exit, err.includes('millrace: nowhere/app.hcl cannot be written: no such file')]).toEqual([
    2,
    true,
  ]);
});

test('the examples of the help work', async () => {
  const command = offlineCommands(async () => undefined).find((verb) => verb.name() === 'convert');
  let help = '';
  command?.configureOutput({ writeOut: (text) => void (help += text) }).outputHelp();
  const pipeline = join(folder, 'pipeline.yml');
  const yaml = readFileSync(`${HERE}/06-variables.yml`, 'utf8');
  writeFileSync(pipeline, yaml);
  const lines = [...help.matchAll(/^ {2}(?:fly .* \| )?(millrace convert [^>\n]*)/gm)].map(([, line = '']) =>
    line.trim(),
  );
  expect(lines).toHaveLength(3);
  for (const line of lines) {
    const inFolder = line
      .replace('pipeline.yml', pipeline)
      .replace('pipeline.hcl', join(folder, 'pipeline.hcl'));
    const { exit, out } = await millrace(inFolder, { input: yaml });
    const text = line.includes(' -o ') ? readFileSync(join(folder, 'pipeline.hcl'), 'utf8') : out;
    expect([line, exit, text.includes('job "release" {')]).toEqual([line, 0, true]);
  }
});
