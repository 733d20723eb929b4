import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import { promisify } from 'node:util';
import { expect } from '@jest/globals';
import { commitStatusScript } from '#domain/pipeline/built-in/commit-status.ts';
import { check } from '#domain/pipeline/built-in/git-check.ts';
import { pull } from '#domain/pipeline/built-in/git-pull.ts';
import { push } from '#domain/pipeline/built-in/git-push.ts';
import { runScript, type ScriptEnd } from '#testing/process/run-script.ts';
import type { ForgeRepository, ForgeUnderTest } from './forge-under-test.ts';

export type Parameters = Readonly<Record<string, string>>;
export type Version = Readonly<Record<string, string>>;

/** The setting of one test of the contract: a new repository, and the working directory of a step. */
export class ContractSetting {
  readonly forge: ForgeUnderTest;
  readonly repository: ForgeRepository;
  readonly #folder: string;

  constructor(forge: ForgeUnderTest, repository: ForgeRepository, folder: string) {
    this.forge = forge;
    this.repository = repository;
    this.#folder = folder;
  }

  static async create(
    forge: ForgeUnderTest,
    { name, private: isPrivate }: { name: string; private: boolean },
  ): Promise<ContractSetting> {
    const repository = await forge.createRepository(name, { private: isPrivate });
    return new ContractSetting(forge, repository, await mkdtemp(join(tmpdir(), 'millrace-contract-')));
  }

  async remove(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** Runs a check from a known version, if one is given, and returns how it ended. */
  async runCheck(parameters: Parameters = {}, knownVersion: Version = {}): Promise<ScriptEnd> {
    return await this.#run(check, { ...this.#parameters(parameters), ...prefixed('version', knownVersion) });
  }

  /** The versions that a check finds. Fails if the check fails, or uses git instead of the forge's API. */
  async check(parameters: Parameters = {}, knownVersion: Version = {}): Promise<Version[]> {
    const { code, stdout, stderr } = await this.runCheck(parameters, knownVersion);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stderr).not.toContain('git is used instead');
    return JSON.parse(stdout);
  }

  /** Gets a version into the folder `app`. */
  async pull(version: Version, parameters: Parameters = {}): Promise<void> {
    const end = await this.#run(pull, { ...this.#parameters(parameters), ...prefixed('version', version) });
    expect(end).toMatchObject({ code: 0, stdout: '' });
  }

  /** The text of a file in the folder `app`. */
  async read(path: string): Promise<string> {
    return await readFile(join(this.#folder, 'app', path), 'utf8');
  }

  /** Pushes the folder `app`. Returns the version, or throws an error with what the script printed. */
  async push(put: Parameters = {}, parameters: Parameters = {}): Promise<Version> {
    const { code, stdout, stderr } = await this.#run(push, {
      ...this.#parameters(parameters),
      ...prefixed('put', put),
    });
    if (code !== 0) throw new Error(stderr);
    return JSON.parse(stdout);
  }

  /** Sets a status of a commit, as a notification of a build does, and returns how the script ended. */
  async report(commit: string, variables: Parameters): Promise<ScriptEnd> {
    const build = { BUILD_PIPELINE_NAME: 'app', BUILD_JOB_NAME: 'unit', BUILD_NUMBER: '7' };
    const more = { ...build, version_ref: commit, ...variables };
    return await this.#run(commitStatusScript, { ...this.#parameters({}), ...more });
  }

  /** Runs git in the folder `app`, as a step would. */
  async git(...args: string[]): Promise<string> {
    const identity = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org'];
    const environment = { PATH: env['PATH'], HOME: this.#folder, GIT_CONFIG_NOSYSTEM: '1' };
    const folder = join(this.#folder, 'app');
    return (
      await promisify(execFile)('git', [...identity, '-C', folder, ...args], { env: environment })
    ).stdout.trim();
  }

  #parameters(more: Parameters): Record<string, string> {
    const { forge, repository } = this;
    const defaults = { url: repository.url, name: 'app', token: forge.owner.token, provider: forge.kind };
    return prefixed('param', { ...defaults, ...more });
  }

  async #run(script: string, variables: Readonly<Record<string, string>>): Promise<ScriptEnd> {
    return await runScript(script, this.#folder, { GIT_ALLOW_PROTOCOL: 'http', ...variables });
  }
}

function prefixed(word: string, fields: Parameters): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [`${word}_${name}`, value]));
}
