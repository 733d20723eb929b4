import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';

/*
 * A program with the part of docker's command line that `millrace run` uses. It refuses all other flags, and
 * values that docker would refuse. It starts the entrypoint as a process of this machine. Its state is in the
 * folder $FAKE_DOCKER: `registry.json`, `pulled`, `calls`, and in `running` a file for each container,
 * because several containers may end at the same time.
 */

interface RegistryImage {
  architecture: string;
  env: Record<string, string>;
  entrypoint: string[];
  cmd: string[];
}

const { FAKE_DOCKER: folder = '', ...environment } = process.env;
const registry: Record<string, RegistryImage> = JSON.parse(
  readFileSync(join(folder, 'registry.json'), 'utf8'),
);
const [command = '', ...words] = process.argv.slice(2);

function fail(code: number, message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(code);
}
/** Exits with the code of `docker run` for a usage error. */
const refuse = (message: string): never => fail(125, `fake docker: ${message}`);

const lines = (name: string): string[] =>
  existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8').split('\n').filter(Boolean) : [];
const fileOf = (container: string): string => join(folder, 'running', container);
const isPulled = (image: string): boolean => lines('pulled').includes(image);

/** The flags of `docker run` that this program knows, each with a check of its value. */
const RUN_FLAGS: Record<string, (value: string) => boolean> = {
  '--name': (value) => /^[a-zA-Z0-9][a-zA-Z0-9_.-]+$/.test(value) && !existsSync(fileOf(value)),
  '--pull': (value) => ['always', 'missing', 'never'].includes(value),
  '--network': (value) => value === 'host',
  '--add-host': (value) => /^[^:=]+[:=]\d+\.\d+\.\d+\.\d+$/.test(value),
  '--security-opt': (value) => /^label=(disable|user:.+|role:.+|type:.+|level:.+)$/.test(value),
  '--mount': isMount,
  '--workdir': isAbsolute,
  '--env': (value) => !value.includes('=') && environment[value] !== undefined,
  '--entrypoint': (value) => value !== '',
};

/** Unlike `--volume`, `--mount` fails if the source does not exist. */
function isMount(value: string): boolean {
  const fields = mountOf(value);
  const hasKnownFields = Object.keys(fields).every((key) =>
    ['type', 'source', 'target', 'readonly'].includes(key),
  );
  const { type, source = '', target = '' } = fields;
  return hasKnownFields && type === 'bind' && isAbsolute(source) && isAbsolute(target) && existsSync(source);
}

const mountOf = (value: string): Record<string, string> =>
  Object.fromEntries(value.split(',').map((field) => field.split('=', 2)));

interface RunRequest {
  image: string;
  flags: [name: string, value: string][];
}

function readRun(): RunRequest {
  const flags: [string, string][] = [];
  let hasRm = false;
  for (const [index, word] of words.entries()) {
    if (word === '--rm') hasRm = true;
    else if (word.startsWith('--')) {
      const [name = '', ...valueParts] = word.split('=');
      const value = valueParts.join('=');
      if (RUN_FLAGS[name] === undefined) refuse(`unknown flag: ${name}`);
      if (RUN_FLAGS[name]?.(value) !== true) refuse(`invalid argument ${JSON.stringify(value)} for ${name}`);
      flags.push([name, value]);
    } else {
      if (words.length > index + 1) refuse('arguments after the image are not expected here');
      if (!hasRm) refuse('the container would stay: --rm is missing');
      return { image: word, flags };
    }
  }
  return refuse('docker run requires at least 1 argument');
}

async function runContainer({ image, flags }: RunRequest): Promise<number> {
  const valueOf = (flag: string): string => flags.find(([name]) => name === flag)?.[1] ?? '';
  const valuesOf = (flag: string): string[] =>
    flags.flatMap(([name, value]) => (name === flag ? [value] : []));
  if (!isPulled(image)) fail(125, `docker: Error response from daemon: No such image: ${image}`);
  const targets = Object.fromEntries(
    valuesOf('--mount').map((value) => [mountOf(value)['target'], mountOf(value)['source']]),
  );
  const program = targets[valueOf('--entrypoint')];
  if (program === undefined) fail(127, `exec: ${valueOf('--entrypoint')}: no such file`);
  const containerVariables = Object.fromEntries(valuesOf('--env').map((name) => [name, environment[name]]));
  mkdirSync(join(folder, 'running'), { recursive: true });
  writeFileSync(fileOf(valueOf('--name')), '');
  const child = spawn(program, [], {
    env: { PATH: environment['PATH'], HOME: '/', ...registry[image]?.env, ...containerVariables },
    cwd: targets[valueOf('--workdir')],
    stdio: 'inherit',
  });
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  const code = await new Promise<number>((resolve) => child.once('exit', (exit) => resolve(exit ?? 137)));
  rmSync(fileOf(valueOf('--name')), { force: true });
  return code;
}

function inspect(image: string): void {
  if (!isPulled(image)) fail(1, `[]\nError: No such image: ${image}`);
  const { architecture, env, entrypoint, cmd } = registry[image] ?? refuse('a broken state');
  const pairs = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  // Without an entrypoint docker leaves out `Entrypoint`; without a command `Cmd` is null.
  const config = {
    Env: pairs,
    ...(entrypoint.length > 0 && { Entrypoint: entrypoint }),
    Cmd: cmd.length > 0 ? cmd : null,
    WorkingDir: '',
  };
  process.stdout.write(
    JSON.stringify([{ Id: 'sha256:0', Architecture: architecture, Os: 'linux', Config: config }]),
  );
}

function pull([flag, image = '', ...more]: string[]): void {
  if (flag !== '--quiet' || more.length > 0) refuse('docker pull takes --quiet and one image');
  if (registry[image] === undefined) fail(1, `Error response from daemon: manifest for ${image} not found`);
  appendFileSync(join(folder, 'pulled'), `${image}\n`);
  process.stdout.write(`${image}\n`);
}

appendFileSync(join(folder, 'calls'), `docker ${[command, ...words].join(' ')}\n`);
switch (command) {
  case 'image':
    if (words[0] !== 'inspect' || words.length !== 2) refuse('docker image inspect takes one image here');
    inspect(words[1] ?? '');
    break;
  case 'pull':
    pull(words);
    break;
  case 'run':
    process.exitCode = await runContainer(readRun());
    break;
  case 'rm':
    if (words[0] !== '--force' || words.length < 2) refuse('docker rm takes --force and names');
    for (const name of words.slice(1)) rmSync(fileOf(name), { force: true });
    break;
  default:
    refuse(`'${command}' is not a docker command`);
}
