import { setTimeout as sleep } from 'node:timers/promises';
import type { V1TokenReview } from '@kubernetes/client-node';
import type { Dispatcher } from 'undici';
import { defined } from '#defined';
import { apiProblem, apiUnreachable, TOO_LARGE, type ApiAnswer, type ApiProblem } from './answer.ts';
import type { Connection } from './connection.ts';
import { apiPath, KINDS, type ApiKind, type ObjectRef, type Wire } from './kinds.ts';
import {
  acceptHeader,
  JSON_TYPE,
  completeList,
  selectors,
  withQuery,
  type ListBody,
  type ListOptions,
} from './list-query.ts';
import { AnswerTooLarge, MAX_ANSWER_BYTES, readAnswer } from './read-answer.ts';

/** Field managers of server-side apply, one for specs and one for statuses. */
const FIELD_MANAGER = 'millrace';
const STATUS_FIELD_MANAGER = 'millrace-status';

const PAGE_SIZE = 500;
/** If a page has too many bytes, the client requests it again with the page size divided by this. */
const PAGE_DIVISOR = 4;
/**
 * How many times a throttled request (429, or 503 that names a time to retry) is retried, and the longest
 * wait before a retry. Up to a quarter of the wait is added at random. Watches are not retried.
 */
const THROTTLE_RETRIES = 4;
const MAX_WAIT_SECONDS = 10;
const PATCH = {
  apply: 'application/apply-patch+yaml',
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
};

export interface DeleteOptions {
  uid?: string;
  resourceVersion?: string;
  graceSeconds?: number;
  propagation?: 'Background' | 'Foreground' | 'Orphan';
}

export interface JsonPatch {
  op: 'add' | 'remove' | 'replace' | 'test';
  path: string;
  value?: unknown;
}

interface Body {
  contentType: string;
  text: string;
}

/** The calls that Millrace makes to the API server. They do not throw: they return problems as values. */
export class ApiClient {
  readonly #connection: Connection;
  readonly #maxAnswerBytes: number;

  constructor(connection: Connection, maxAnswerBytes = MAX_ANSWER_BYTES) {
    this.#connection = connection;
    this.#maxAnswerBytes = maxAnswerBytes;
  }

  get<T>(kind: ApiKind<T>, ref: ObjectRef): Promise<ApiAnswer<T>> {
    return this.#call('GET', apiPath(kind, ref));
  }

  /**
   * Lists all objects, and passes them to `onPage` page by page. Large objects make the pages smaller.
   * Returns the resource version from which a watch sees all later changes.
   */
  async list<T>(
    kind: ApiKind<T>,
    options: ListOptions,
    onPage: (items: T[]) => void,
  ): Promise<ApiAnswer<string>> {
    let next: string | undefined;
    let version = '';
    let limit = PAGE_SIZE;
    for (;;) {
      const answer = await this.#page(kind, options, { limit, next });
      if (answer.ok) {
        const { items, metadata } = completeList(answer.value);
        onPage(items);
        version = metadata.resourceVersion ?? version;
        next = metadata.continue || undefined;
        if (next === undefined) return { ok: true, value: version };
      } else if (answer.reason === TOO_LARGE && limit > 1)
        limit = Math.max(1, Math.floor(limit / PAGE_DIVISOR));
      else return answer;
    }
  }

  #page<T>(
    kind: ApiKind<T>,
    options: ListOptions,
    { limit, next }: { limit: number; next: string | undefined },
  ): Promise<ApiAnswer<ListBody<T>>> {
    const query = {
      ...selectors(options),
      limit: String(limit),
      ...defined({ continue: next }),
    };
    const path = withQuery(apiPath(kind, { namespace: options.namespace }), query);
    return this.#call<ListBody<T>>('GET', path, undefined, acceptHeader(options));
  }

  create<T>(kind: ApiKind<T>, object: T & { metadata?: { namespace?: string } }): Promise<ApiAnswer<T>> {
    return this.#call('POST', apiPath(kind, { namespace: object.metadata?.namespace }), json(object));
  }

  /**
   * Server-side apply with `force`: takes over fields that other managers own. Removes the fields that the
   * same manager applied earlier and that `object` does not have.
   */
  apply<T>(
    kind: ApiKind<T>,
    object: { metadata?: { name?: string; namespace?: string } } & T,
    manager = FIELD_MANAGER,
  ): Promise<ApiAnswer<T>> {
    return this.#apply(kind, object, manager, '');
  }

  applyStatus<T>(
    kind: ApiKind<T>,
    object: { metadata: { name: string; namespace?: string | undefined; uid: string }; status: unknown },
    manager = STATUS_FIELD_MANAGER,
  ): Promise<ApiAnswer<T>> {
    return this.#apply(kind, object, manager, '/status');
  }

  patchJson<T>(kind: ApiKind<T>, ref: ObjectRef, patch: JsonPatch[]): Promise<ApiAnswer<T>> {
    return this.#call('PATCH', apiPath(kind, ref), { contentType: PATCH.json, text: JSON.stringify(patch) });
  }

  patchMerge<T>(kind: ApiKind<T>, ref: ObjectRef, patch: unknown): Promise<ApiAnswer<T>> {
    return this.#call('PATCH', apiPath(kind, ref), { contentType: PATCH.merge, text: JSON.stringify(patch) });
  }

  /** Returns a conflict (409) if the object has another resource version than `object`. */
  replace<T>(
    kind: ApiKind<T>,
    object: T & { metadata?: { name?: string; namespace?: string } },
  ): Promise<ApiAnswer<T>> {
    const { name = '', namespace } = object.metadata ?? {};
    return this.#call('PUT', apiPath(kind, { name, namespace }), json(object));
  }

  /** A missing object counts as deleted. */
  async delete(
    kind: ApiKind<unknown>,
    ref: ObjectRef,
    options: DeleteOptions = {},
  ): Promise<ApiAnswer<'deleted'>> {
    const body = {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      propagationPolicy: options.propagation ?? 'Background',
      ...defined({ gracePeriodSeconds: options.graceSeconds }),
      preconditions: defined({ uid: options.uid, resourceVersion: options.resourceVersion }),
    };
    const answer = await this.#call('DELETE', apiPath(kind, ref), json(body));
    return answer.ok || answer.status === 404 ? { ok: true, value: 'deleted' } : answer;
  }

  /**
   * Asks the API server to verify the token. The status of the result says who the user is, if the token is
   * valid for one of the audiences.
   */
  reviewToken(token: string, audiences: string[]): Promise<ApiAnswer<Wire<V1TokenReview>>> {
    const review = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      spec: { token, audiences },
    };
    return this.#call('POST', apiPath(KINDS.tokenReviews, {}), json(review));
  }

  /** Opens a watch. The body has one line of JSON per event, and ends after `timeoutSeconds` or earlier. */
  async watch(
    kind: ApiKind<unknown>,
    options: ListOptions & { resourceVersion: string; timeoutSeconds: number },
    signal: AbortSignal,
  ): Promise<ApiAnswer<AsyncIterable<Uint8Array>>> {
    const path = withQuery(apiPath(kind, { namespace: options.namespace }), {
      ...selectors(options),
      watch: 'true',
      allowWatchBookmarks: 'true',
      resourceVersion: options.resourceVersion,
      timeoutSeconds: String(options.timeoutSeconds),
    });
    try {
      const response = await this.#send('watches', {
        method: 'GET',
        path,
        signal,
        accept: acceptHeader(options, 'PartialObjectMetadata'),
      });
      if (response.statusCode === 200) return { ok: true, value: response.body };
      const text = await readAnswer(response.body, this.#maxAnswerBytes);
      return apiProblem(response.statusCode, text, header(response, 'retry-after'));
    } catch (error) {
      return apiUnreachable(error);
    }
  }

  #apply<T>(
    kind: ApiKind<T>,
    object: { metadata?: { name?: string; namespace?: string | undefined } },
    manager: string,
    subresource: string,
  ): Promise<ApiAnswer<T>> {
    const { name = '', namespace } = object.metadata ?? {};
    const path = `${apiPath(kind, { name, namespace })}${subresource}`;
    const body = { ...object, apiVersion: kind.apiVersion, kind: kind.kind };
    return this.#call('PATCH', withQuery(path, { fieldManager: manager, force: 'true' }), {
      contentType: PATCH.apply,
      text: JSON.stringify(body),
    });
  }

  async #call<T>(
    method: Dispatcher.HttpMethod,
    path: string,
    body?: Body,
    accept?: string,
  ): Promise<ApiAnswer<T>> {
    let answer = await this.#callOnce<T>({ method, path, body, accept });
    for (let retry = 0; retry < THROTTLE_RETRIES && !answer.ok && throttled(answer); retry += 1) {
      const seconds = Math.min(answer.retryAfterSeconds ?? 1, MAX_WAIT_SECONDS);
      await sleep(seconds * 1000 * (1 + Math.random() / 4));
      answer = await this.#callOnce<T>({ method, path, body, accept });
    }
    return answer;
  }

  async #callOnce<T>(request: Request): Promise<ApiAnswer<T>> {
    try {
      const response = await this.#send('requests', request);
      const text = await readAnswer(response.body, this.#maxAnswerBytes);
      if (response.statusCode >= 300) {
        return apiProblem(response.statusCode, text, header(response, 'retry-after'));
      }
      const value: T = JSON.parse(text);
      return { ok: true, value };
    } catch (error) {
      if (error instanceof AnswerTooLarge)
        return { ok: false, status: 0, reason: TOO_LARGE, message: error.message };
      return apiUnreachable(error);
    }
  }

  async #send(pool: 'requests' | 'watches', request: Request): Promise<Dispatcher.ResponseData> {
    const { method, path, body, signal, accept = JSON_TYPE } = request;
    return this.#connection[pool].request({
      origin: this.#connection.server,
      path,
      method,
      headers: {
        accept,
        'user-agent': 'millrace',
        ...(await this.#connection.authorization()),
        ...defined({ 'content-type': body?.contentType }),
      },
      ...defined({ body: body?.text, signal }),
    });
  }
}

interface Request {
  method: Dispatcher.HttpMethod;
  path: string;
  body?: Body | undefined;
  accept?: string | undefined;
  signal?: AbortSignal;
}

function throttled(problem: ApiProblem): boolean {
  return problem.status === 429 || (problem.status === 503 && problem.retryAfterSeconds !== undefined);
}

function json(value: unknown): Body {
  return { contentType: JSON_TYPE, text: JSON.stringify(value) };
}

function header(response: Dispatcher.ResponseData, name: string): string | undefined {
  const value = response.headers[name];
  return Array.isArray(value) ? value[0] : value;
}
