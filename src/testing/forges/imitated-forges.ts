import { answerForgePage, type ApiRequest, type ApiRoute, type ImitatedApi } from './imitated-api.ts';
import type { ImitatedRequest } from './imitated-repository.ts';
import {
  describeGiteaPull,
  describePull,
  listCommits,
  openPullRequests,
  setStatus,
} from './imitated-routes.ts';

const JSON_ONLY = ['application/json'];
/** The largest page number that a request may ask for. */
const MAX_PAGES = 1000;

type Route = Omit<ApiRoute, 'accepts' | 'needs' | 'query'> & Partial<ApiRoute>;

const route = (rules: Route): ApiRoute => ({ accepts: JSON_ONLY, needs: [], query: {}, ...rules });

/**
 * Whether a pull request targets the branch that this query parameter names. Without the parameter, every
 * pull request does.
 */
const isInto = (request: ApiRequest, parameter: string): ((candidate: ImitatedRequest) => boolean) => {
  const targetBranch = request.url.searchParams.get(parameter);
  return ({ target }) => targetBranch === null || target === targetBranch;
};

/** GitHub Enterprise Server, as in its REST API documents of version 2022-11-28. */
export const github: ImitatedApi = {
  kind: 'github',
  root: '/api/v3',
  pageSize: 100,
  tokenHeader: 'authorization',
  tokenHeaderValue: (token) => `token ${token}`,
  requestRef: (number) => `refs/pull/${number}/head`,
  routes: [
    route({
      method: 'GET',
      path: '/repos/{owner}/{name}/commits',
      query: { sha: 'text', path: 'text', per_page: 100, page: MAX_PAGES },
      needs: ['per_page'],
      accepts: ['application/vnd.github+json', ...JSON_ONLY],
      answer: (request) =>
        listCommits(request, { branch: 'sha', size: 'per_page', field: 'sha', prefix: 'refs/heads/' }),
    }),
    route({
      method: 'GET',
      path: '/repos/{owner}/{name}/pulls',
      query: {
        state: ['open'],
        head: 'text',
        base: 'text',
        sort: ['updated'],
        direction: ['desc'],
        per_page: 100,
        page: MAX_PAGES,
      },
      needs: ['state', 'sort', 'direction', 'per_page', 'page'],
      accepts: ['application/vnd.github+json', ...JSON_ONLY],
      answer: async (request) => {
        const requests = (await openPullRequests(request)).filter(isInto(request, 'base'));
        return answerForgePage(request, requests.map(describePull), { size: 'per_page' });
      },
    }),
    route({
      method: 'POST',
      path: '/repos/{owner}/{name}/statuses/{sha}',
      accepts: ['application/vnd.github+json'],
      answer: (request) => setStatus(request, 'github'),
    }),
  ],
};

/** GitLab, as in its REST API documents of version 4. */
export const gitlab: ImitatedApi = {
  kind: 'gitlab',
  root: '/api/v4',
  pageSize: 100,
  tokenHeader: 'private-token',
  tokenHeaderValue: (token) => token,
  requestRef: (number) => `refs/merge-requests/${number}/head`,
  routes: [
    route({
      method: 'GET',
      path: '/projects/{repository}/repository/commits',
      query: { ref_name: 'text', path: 'text', per_page: 100, page: MAX_PAGES },
      needs: ['per_page'],
      answer: (request) => listCommits(request, { branch: 'ref_name', size: 'per_page', field: 'id' }),
    }),
    route({
      method: 'GET',
      path: '/projects/{repository}/merge_requests',
      query: {
        state: ['opened'],
        order_by: ['updated_at'],
        sort: ['desc'],
        target_branch: 'text',
        labels: 'text',
        per_page: 100,
        page: MAX_PAGES,
      },
      needs: ['state', 'order_by', 'sort', 'per_page', 'page'],
      answer: async (request) => {
        const labels = request.url.searchParams.get('labels')?.split(',') ?? [];
        const requests = (await openPullRequests(request))
          .filter(isInto(request, 'target_branch'))
          .filter((candidate) => labels.every((label) => candidate.labels.includes(label)));
        const size = { size: 'per_page', alwaysLink: true };
        return answerForgePage(request, requests.map(describeMerge), size);
      },
    }),
    route({
      method: 'POST',
      path: '/projects/{repository}/statuses/{sha}',
      answer: (request) => setStatus(request, 'gitlab'),
    }),
  ],
};

function describeMerge(request: ImitatedRequest): object {
  const { number, title, draft, labels, sha, branch, target, from, into: project } = request;
  return {
    // The id differs from the number, which is unique only in its project.
    id: 1000 + number,
    iid: number,
    state: 'opened',
    title: draft ? `Draft: ${title}` : title,
    draft,
    labels,
    sha,
    source_branch: branch,
    target_branch: target,
    project_id: project.id,
    source_project_id: from.id,
    target_project_id: project.id,
  };
}

/** Forgejo, as in the Swagger document that it serves, of version 1. Gitea's document has the same routes. */
export const forgejo: ImitatedApi = {
  kind: 'forgejo',
  root: '/api/v1',
  pageSize: 50,
  tokenHeader: 'authorization',
  tokenHeaderValue: (token) => `token ${token}`,
  requestRef: (number) => `refs/pull/${number}/head`,
  routes: [
    route({
      method: 'GET',
      path: '/repos/{owner}/{name}/commits',
      query: {
        sha: 'text',
        path: 'text',
        stat: ['true', 'false'],
        verification: ['true', 'false'],
        files: ['true', 'false'],
        limit: 50,
        page: MAX_PAGES,
      },
      needs: ['limit'],
      answer: (request) => listCommits(request, { branch: 'sha', size: 'limit', field: 'sha' }),
    }),
    route({
      method: 'GET',
      path: '/repos/{owner}/{name}/pulls',
      query: { state: ['open'], sort: ['recentupdate'], limit: 50, page: MAX_PAGES },
      needs: ['state', 'sort', 'limit', 'page'],
      answer: async (request) => {
        const requests = await openPullRequests(request);
        const described = requests.map((open) => describeGiteaPull(open, forgejo.requestRef));
        return answerForgePage(request, await Promise.all(described), { size: 'limit' });
      },
    }),
    route({
      method: 'POST',
      path: '/repos/{owner}/{name}/statuses/{sha}',
      answer: (request) => setStatus(request, 'forgejo'),
    }),
  ],
};
