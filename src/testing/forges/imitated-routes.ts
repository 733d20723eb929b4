import type { ForgeKind } from './forge-under-test.ts';
import { answerForgePage, refusal, type ForgeAnswer, type ApiRequest } from './imitated-api.ts';
import type { ImitatedRequest } from './imitated-repository.ts';
import { readStatus, refusesTransition } from './status-body.ts';

/**
 * The newest commits of a branch. If there is no such branch, GitLab answers with an empty list, the others
 * with 404. `prefix` precedes the name: with `refs/heads/`, GitHub takes the branch even if a tag has the
 * same name. Without a prefix, the others take the tag, as git does.
 */
export async function listCommits(
  request: ApiRequest,
  {
    branch: name,
    size,
    field,
    prefix = '',
  }: { branch: string; size: string; field: string; prefix?: string },
): Promise<ForgeAnswer> {
  const { repository, url } = request;
  const branch = url.searchParams.get(name);
  const commits = await repository.describedCommits(branch === null ? 'HEAD' : `${prefix}${branch}`);
  if (commits.length === 0 && field === 'sha') return refusal(404, 'no such branch, or no commit yet');
  const described = commits.map(({ id, parents, message }) =>
    field === 'sha'
      ? { sha: id, parents: parents.map((sha) => ({ sha })), commit: { message } }
      : { id, parent_ids: parents, message },
  );
  return answerForgePage(request, described, { size });
}

/** The open requests, the last changed one first. */
export async function openPullRequests({ repository }: ApiRequest): Promise<ImitatedRequest[]> {
  const requests = await repository.refreshRequests();
  return requests.filter(({ open }) => open).toSorted((a, b) => b.changed - a.changed);
}

/**
 * A request as Gitea and Forgejo describe it in a list. `head.label` has no owner, and is empty if the
 * request was pushed for review. If the branch does not exist, `head.ref` is the request's own ref.
 */
export async function describeGiteaPull(
  request: ImitatedRequest,
  requestRef: (number: number) => string,
): Promise<object> {
  const { number, branch, review, from } = request;
  const { head, ...others } = describePull(request);
  const ref = (await from.hasBranch(branch)) ? branch : requestRef(number);
  return { ...others, head: { ...head, ref, label: review ? '' : branch } };
}

/** A request as GitHub describes it. */
export function describePull(request: ImitatedRequest): {
  readonly head: object;
  readonly [field: string]: unknown;
} {
  const { number, title, draft, labels, sha, branch, target, from, into } = request;
  const describeRepository = ({ owner, path, id }: ImitatedRequest['from']): object => ({
    id,
    full_name: path,
    name: path.split('/')[1],
    owner: { login: owner.name },
    fork: path !== into.path,
  });
  return {
    // The id differs from the number, which is unique only in its repository.
    id: 1000 + number,
    number,
    state: 'open',
    title,
    draft,
    labels: labels.map((name, at) => ({ id: at, name, color: '00aabb' })),
    head: { label: `${from.owner.name}:${branch}`, ref: branch, sha, repo: describeRepository(from) },
    base: { label: `${into.owner.name}:${target}`, ref: target, sha: null, repo: describeRepository(into) },
  };
}

/** Sets a status of a commit. */
export async function setStatus(
  { repository, sha, body }: ApiRequest,
  kind: ForgeKind,
): Promise<ForgeAnswer> {
  if (!(await repository.hasCommit(sha))) return refusal(404, `no commit ${sha}`);
  const status = readStatus(body, kind);
  if (typeof status === 'string') return refusal(422, `wrong: ${status}`);
  const previous = (await repository.statuses(sha)).find(({ context }) => context === status.context);
  if (refusesTransition(kind, previous?.state, status.state))
    return refusal(400, `Cannot transition status via :enqueue from :${status.state}`);
  repository.addStatus(sha, status);
  return { status: 201, body: { id: 1 } };
}
