import type { ForgeKind } from './forge-under-test.ts';
import { answerPage, refusal, type ApiAnswer, type ApiRequest } from './imitated-api.ts';
import type { ImitatedRequest } from './imitated-repository.ts';
import { readStatus, refusesTransition } from './status-body.ts';

/** The newest commits of a branch. GitLab answers with an empty list if there is no such branch. */
export async function listCommits(
  request: ApiRequest,
  { branch: name, size, field }: { branch: string; size: string; field: string },
): Promise<ApiAnswer> {
  const { repository, url } = request;
  const found = await repository.describedCommits(url.searchParams.get(name) ?? 'HEAD');
  if (found.length === 0 && field === 'sha') return refusal(404, 'no such branch, or no commit yet');
  const described = found.map(({ id, parents, message }) =>
    field === 'sha'
      ? { sha: id, parents: parents.map((sha) => ({ sha })), commit: { message } }
      : { id, parent_ids: parents, message },
  );
  return answerPage(request, described, { size });
}

/** Open requests, the one that changed last first. */
export async function openRequests({ repository }: ApiRequest): Promise<ImitatedRequest[]> {
  const all = await repository.requestsNow();
  return all.filter(({ open }) => open).toSorted((one, other) => other.changed - one.changed);
}

/** A request as GitHub, and with fewer fields Gitea, describe it. */
export function describePull(request: ImitatedRequest): object {
  const { number, title, draft, labels, sha, branch, target, from, into } = request;
  const place = ({ owner, path, id }: ImitatedRequest['from']): object => ({
    id,
    full_name: path,
    name: path.split('/')[1],
    owner: { login: owner.name },
    fork: path !== into.path,
  });
  return {
    // Not the number: that is unique in its repository only.
    id: 1000 + number,
    number,
    state: 'open',
    title,
    draft,
    labels: labels.map((name, at) => ({ id: at, name, color: '00aabb' })),
    head: { label: `${from.owner.name}:${branch}`, ref: branch, sha, repo: place(from) },
    base: { label: `${into.owner.name}:${target}`, ref: target, sha: null, repo: place(into) },
  };
}

/** Sets a status of a commit. */
export async function setStatus({ repository, sha, body }: ApiRequest, kind: ForgeKind): Promise<ApiAnswer> {
  if (!(await repository.hasCommit(sha))) return refusal(404, `no commit ${sha}`);
  const status = readStatus(body, kind);
  if (typeof status === 'string') return refusal(422, `wrong: ${status}`);
  const before = (await repository.statuses(sha)).find(({ context }) => context === status.context);
  if (refusesTransition(kind, before?.state, status.state))
    return refusal(400, `Cannot transition status via :enqueue from :${status.state}`);
  repository.addStatus(sha, status);
  return { status: 201, body: { id: 1 } };
}
