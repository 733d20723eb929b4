/** What runs at the address, in the words of the parameter `provider` of the type git. */
export type ForgeKind = 'github' | 'gitlab' | 'gitea' | 'forgejo';

/** A forge that tests start: a real one, or a server that imitates the API of one. */
export interface ForgeUnderTest {
  readonly kind: ForgeKind;
  /** The API and the repositories of the forge are below this URL, which has no slash at the end. */
  readonly address: string;
  /** Owns what `createRepository` creates, unless a test names somebody else. */
  readonly owner: ForgeUser;
  /** The largest number of requests on one page of a list. */
  readonly pageSize: number;
  /** The forge orders requests by their last change. Two changes must be this far apart to have an order. */
  readonly orderedAfterMs: number;
  createUser(name: string): Promise<ForgeUser>;
  /** Creates a repository without a commit. Its default branch is `main`. */
  createRepository(name: string, about?: NewRepository): Promise<ForgeRepository>;
  /**
   * What an imitated forge refused, since the last call of `misuse`, because its API documents do not allow
   * it. Always empty for a real forge.
   */
  misuse(): readonly string[];
  stop(): Promise<void>;
}

export interface ForgeUser {
  readonly name: string;
  /** May do everything that the user may do, over the API and over git. */
  readonly token: string;
}

interface NewRepository {
  readonly owner?: ForgeUser;
  readonly private?: boolean;
}

export interface ForgeRepository {
  readonly owner: ForgeUser;
  /** `<owner>/<name>`. */
  readonly path: string;
  /** For git, and for the parameter `url` of the type git. */
  readonly url: string;
  /** Pushes a commit and returns its hash. */
  commit(about: NewCommit): Promise<string>;
  /** Pushes one commit to each of these new branches, all of them on top of the last commit of `main`. */
  commitToEach(branches: readonly string[]): Promise<void>;
  /** Creates a branch at this commit. A branch that exists is moved there, whatever it contained. */
  setBranch(name: string, commit: string): Promise<void>;
  deleteBranch(name: string): Promise<void>;
  /** Creates a tag; one with a message is annotated. */
  createTag(name: string, commit: string, message?: string): Promise<void>;
  setDefaultBranch(name: string): Promise<void>;
  /** Open requests into the branch go into the renamed branch. A default branch stays the default branch. */
  renameBranch(name: string, to: string): Promise<void>;
  fork(by: ForgeUser): Promise<ForgeRepository>;
  /** Opens a pull request, which GitLab calls a merge request. */
  openRequest(about: NewRequest): Promise<ForgeRequest>;
  /**
   * Pushes a new commit on top of `main` to `refs/for/main`. This opens a request without a branch, or
   * changes the user's request with this topic. Only Gitea and Forgejo have this.
   */
  pushForReview(by: ForgeUser, about: NewReview): Promise<ForgeReview>;
  /** All statuses of a commit, the last one first. */
  statuses(commit: string): Promise<CommitStatus[]>;
}

export interface NewCommit {
  readonly message: string;
  /** `main` if left out. A branch that does not exist is created. */
  readonly branch?: string;
  /** Contents by path. If left out, the commit changes the file `file`. */
  readonly files?: Readonly<Record<string, string>>;
  /**
   * The parent: a commit, or `origin/<branch>`. The branch then loses all commits that are neither the parent
   * nor among its ancestors. If left out, the parent is the last commit of the branch.
   */
  readonly onto?: string;
}

export interface NewRequest {
  readonly title: string;
  /** The branch with the changes. */
  readonly branch: string;
  /** The fork that has the branch. If left out, the repository itself has it. */
  readonly from?: ForgeRepository;
  /** `main` if left out. */
  readonly target?: string;
  readonly draft?: boolean;
}

export interface ForgeRequest {
  readonly number: number;
  /** Creates labels that the repository lacks. Replaces the request's labels. */
  setLabels(names: readonly string[]): Promise<void>;
  close(): Promise<void>;
  /** Opens a closed request again. */
  reopen(): Promise<void>;
}

export interface NewReview extends Pick<NewCommit, 'message' | 'files'> {
  /** Gitea puts the name of the user before it: `<user>/<topic>`. */
  readonly topic: string;
}

export interface ForgeReview {
  readonly number: number;
  readonly commit: string;
}

export interface CommitStatus {
  /** What distinguishes the statuses of one commit; GitLab calls it the name. */
  readonly context: string;
  /** The forge's own word. */
  readonly state: string;
  readonly description: string;
  /** Where the status links to. */
  readonly url: string;
}
