import { execFile } from 'node:child_process';
import { appendFile, cp } from 'node:fs/promises';
import { env } from 'node:process';
import { promisify } from 'node:util';
import { importOf } from './fast-import.ts';
import type {
  CommitStatus,
  ForgeRepository,
  ForgeRequest,
  ForgeReview,
  ForgeUser,
  NewCommit,
  NewRequest,
  NewReview,
} from './forge-under-test.ts';

/**
 * A pull request or merge request. `sha` is the commit that its branch had when the forge last looked; empty
 * before the first look. For a request that was pushed to `refs/for/`, it is the commit pushed last.
 */
export interface ImitatedRequest {
  readonly number: number;
  readonly title: string;
  readonly draft: boolean;
  readonly branch: string;
  /** A push to `refs/for/` opened it: `branch` is only its topic. */
  readonly review: boolean;
  readonly from: ImitatedRepository;
  readonly into: ImitatedRepository;
  target: string;
  labels: readonly string[];
  open: boolean;
  sha: string;
  /** The tick of the last change: larger than that of every request that changed earlier. */
  changed: number;
}

/** What the repositories of one forge share. */
export interface ImitatedHost {
  readonly address: string;
  readonly folder: string;
  readonly requestRef: (number: number) => string;
  /** Returns a larger number with every call. */
  readonly tick: () => number;
  readonly add: (repository: ImitatedRepository) => void;
}

/** A repository in a folder, and what a forge knows about it. Tests change it without a network. */
export class ImitatedRepository implements ForgeRepository {
  readonly id: number;
  readonly owner: ForgeUser;
  readonly path: string;
  readonly url: string;
  readonly private: boolean;
  readonly #host: ImitatedHost;
  readonly #requests: ImitatedRequest[] = [];
  /** When `commit` last pushed to a branch, in ticks. */
  readonly #pushed = new Map<string, number>();
  readonly #statuses = new Map<string, CommitStatus[]>();

  constructor(host: ImitatedHost, owner: ForgeUser, about: { name: string; private: boolean }) {
    this.#host = host;
    this.id = host.tick();
    this.owner = owner;
    this.path = `${owner.name}/${about.name}`;
    this.url = `${host.address}/${this.path}.git`;
    this.private = about.private;
  }

  get folder(): string {
    return `${this.#host.folder}/${this.path}.git`;
  }

  async create(): Promise<this> {
    await this.#git(
      ['init', '-q', '--bare', '--template=', '-b', 'main', this.folder],
      '',
      this.#host.folder,
    );
    // Forges allow partial clones, and the fetch of one commit by its hash.
    await appendFile(
      `${this.folder}/config`,
      '[uploadpack]\n\tallowFilter = true\n\tallowAnySHA1InWant = true\n',
    );
    this.#host.add(this);
    return this;
  }

  async commit({ onto, branch = 'main', ...about }: NewCommit): Promise<string> {
    const newest = await this.commits(`refs/heads/${branch}`, 1);
    const parent = onto?.replace('origin/', 'refs/heads/') ?? newest[0];
    const seconds = this.#host.tick();
    this.#pushed.set(branch, seconds);
    const text = importOf({ ...about, branch, parent, seconds });
    return await this.#git(['fast-import', '--quiet', '--force'], text);
  }

  async commitToEach(branches: readonly string[]): Promise<void> {
    const parent = 'refs/heads/main';
    const texts = branches.map((branch) =>
      importOf({ message: branch, branch, parent, seconds: this.#host.tick() }),
    );
    await this.#git(['fast-import', '--quiet'], texts.join(''));
  }

  async setBranch(name: string, commit: string): Promise<void> {
    await this.#git(['update-ref', `refs/heads/${name}`, commit]);
  }

  async deleteBranch(name: string): Promise<void> {
    await this.#git(['update-ref', '-d', `refs/heads/${name}`]);
  }

  async createTag(name: string, commit: string, message?: string): Promise<void> {
    await this.#git(['tag', ...(message === undefined ? [] : ['-a', '-m', message]), name, commit]);
  }

  async setDefaultBranch(name: string): Promise<void> {
    await this.#git(['symbolic-ref', 'HEAD', `refs/heads/${name}`]);
  }

  async renameBranch(name: string, to: string): Promise<void> {
    // If HEAD names the branch, git renames it there too.
    await this.#git(['branch', '-m', name, to]);
    for (const request of this.#requests) if (request.open && request.target === name) request.target = to;
  }

  async fork(by: ForgeUser): Promise<ImitatedRepository> {
    const name = this.path.split('/')[1] ?? '';
    const fork = new ImitatedRepository(this.#host, by, { name, private: this.private });
    await cp(this.folder, fork.folder, { recursive: true });
    this.#host.add(fork);
    return fork;
  }

  openRequest({ title, branch, from, target = 'main', draft = false }: NewRequest): Promise<ForgeRequest> {
    const source = from === undefined ? this : from;
    if (!(source instanceof ImitatedRepository)) throw new Error('the fork is on another forge');
    const number = this.#requests.length + 1;
    const { tick } = this.#host;
    const fields = { number, title, branch, review: false, target, draft, from: source, into: this };
    const request: ImitatedRequest = { ...fields, labels: [], open: true, sha: '', changed: tick() };
    this.#requests.push(request);
    const change = (changes: Partial<ImitatedRequest>): Promise<void> => {
      Object.assign(request, changes, { changed: tick() });
      return Promise.resolve();
    };
    return Promise.resolve({
      number,
      setLabels: (labels) => change({ labels }),
      close: () => change({ open: false }),
      reopen: () => change({ open: true }),
    });
  }

  async pushForReview(by: ForgeUser, { topic, ...about }: NewReview): Promise<ForgeReview> {
    const changed = this.#host.tick();
    // The commit needs a branch only until the request has it.
    const branch = `review-${changed}`;
    const sha = await this.commit({ ...about, branch, onto: 'origin/main' });
    const ofUser = `${by.name}/${topic}`;
    const known = this.#requests.find(({ open, review, branch: name }) => open && review && name === ofUser);
    const number = known?.number ?? this.#requests.length + 1;
    if (known !== undefined) Object.assign(known, { sha, changed });
    else {
      const state = { labels: [], open: true, sha, changed, draft: false, target: 'main' };
      const source = { branch: ofUser, review: true, from: this, into: this };
      this.#requests.push({ number, title: ofUser, ...source, ...state });
    }
    await this.#git(['update-ref', this.#host.requestRef(number), sha]);
    await this.deleteBranch(branch);
    return { number, commit: sha };
  }

  statuses(commit: string): Promise<CommitStatus[]> {
    return Promise.resolve((this.#statuses.get(commit) ?? []).toReversed());
  }

  addStatus(commit: string, status: CommitStatus): void {
    this.#statuses.set(commit, [...(this.#statuses.get(commit) ?? []), status]);
  }

  /** The newest commits of a branch, newest first; empty if there is no such branch. */
  async commits(branch: string, count = 100): Promise<string[]> {
    const hashes = await this.#git(['rev-list', `--max-count=${count}`, branch, '--']).catch(() => '');
    return hashes === '' ? [] : hashes.split('\n');
  }

  /** The newest 100 commits of a branch, newest first, with their parents and messages. */
  async describedCommits(branch: string): Promise<{ id: string; parents: string[]; message: string }[]> {
    const format = '--format=%H%x00%P%x00%B%x00';
    const text = await this.#git(['log', '--max-count=100', format, branch, '--']).catch(() => '');
    const parts = text.split('\0');
    return Array.from({ length: Math.floor(parts.length / 3) }, (_, at) => {
      const [id = '', parents = '', message = ''] = parts.slice(3 * at, 3 * at + 3);
      return { id: id.trim(), parents: parents === '' ? [] : parents.split(' '), message };
    });
  }

  async hasCommit(sha: string): Promise<boolean> {
    return await this.#git(['cat-file', '-e', `${sha}^{commit}`]).then(
      () => true,
      () => false,
    );
  }

  /** Updates the open requests whose branches have moved, and returns all requests. */
  async refreshRequests(): Promise<readonly ImitatedRequest[]> {
    const open = this.#requests.filter((request) => request.open && !request.review);
    const heads = new Map<ImitatedRepository, Map<string, string>>();
    for (const from of new Set(open.map((request) => request.from))) heads.set(from, await from.#heads());
    const moved = open.filter((request) => {
      const sha = heads.get(request.from)?.get(request.branch) ?? request.sha;
      if (sha === '') throw new Error(`there is no branch '${request.branch}', which has a request`);
      if (sha === request.sha) return false;
      const pushed = request.from.#pushed.get(request.branch) ?? 0;
      request.changed = request.sha === '' ? Math.max(request.changed, pushed) : this.#host.tick();
      request.sha = sha;
      return true;
    });
    await this.#setRefs(moved);
    return this.#requests;
  }

  async #setRefs(moved: readonly ImitatedRequest[]): Promise<void> {
    const { requestRef } = this.#host;
    const fromBranches = moved.filter(({ from }) => from === this);
    const lines = fromBranches.map(({ number, sha }) => `update ${requestRef(number)} ${sha}\n`);
    if (fromBranches.length > 0) await this.#git(['update-ref', '--stdin'], lines.join(''));
    for (const { number, sha, from } of moved.filter((request) => request.from !== this))
      await this.#git(['fetch', '-q', from.folder, `+${sha}:${requestRef(number)}`]);
  }

  async hasBranch(name: string): Promise<boolean> {
    return (await this.#heads()).has(name);
  }

  async #heads(): Promise<Map<string, string>> {
    const branches = await this.#git([
      'for-each-ref',
      '--format=%(objectname) %(refname:lstrip=2)',
      'refs/heads',
    ]);
    return new Map(branches.split('\n').map((line) => [line.slice(41), line.slice(0, 40)]));
  }

  async #git(args: readonly string[], input = '', folder = this.folder): Promise<string> {
    const committer = { GIT_COMMITTER_NAME: this.owner.name, GIT_COMMITTER_EMAIL: 'owner@example.org' };
    const date = { GIT_COMMITTER_DATE: `@${this.#host.tick()} +0000` };
    const environment = {
      PATH: env['PATH'],
      HOME: this.#host.folder,
      GIT_CONFIG_NOSYSTEM: '1',
      ...committer,
      ...date,
    };
    const running = promisify(execFile)('git', args, { cwd: folder, env: environment });
    // Git may end before it has read its input. Its exit code says whether it succeeded.
    running.child.stdin?.on('error', () => {}).end(input);
    return (await running).stdout.trim();
  }
}
