import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

/** How clients log in. `token`: with tokens for one repository. */
type Login = 'none' | 'basic' | 'token';

interface RegistryRules {
  login?: Login;
  /** The account that may pull. If it is absent, `token` gives a token to anyone. */
  credential?: { username: string; password: string };
  /** Redirects blobs to another origin, which rejects requests with credentials. */
  redirectsBlobs?: boolean;
  /** If set, answers every request to a repository, instead of the registry itself. */
  fails?: (response: ServerResponse) => void;
  /** Sends no header with the digest. */
  hidesDigests?: boolean;
  /** Changes the content of manifests and blobs before they are sent. */
  tampers?: (content: Buffer) => Buffer;
}

export interface TestRegistry {
  host: string;
  rules: RegistryRules;
  /** Requests in order, like `GET manifests/1`; `TOKEN` for a request for a token. */
  requests: string[];
  /** Returns the digest. */
  addManifest(repository: string, manifest: object, tag?: string): string;
  addBlob(repository: string, content: object): string;
  /** Adds an image for Linux with this configuration; returns its manifest's digest. */
  addImage(repository: string, config: object, tag?: string): string;
  close(): Promise<void>;
}

const TYPES = {
  index: 'application/vnd.oci.image.index.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
};

/**
 * Starts a registry from which clients can read manifests and blobs as in the OCI distribution specification.
 * It refuses wrong logins, unknown paths, and manifests of a type that the client does not accept.
 */
export async function startRegistry(rules: RegistryRules = {}): Promise<TestRegistry> {
  const contents = new Map<string, { type: string; bytes: Buffer }>();
  const requests: string[] = [];
  const registry = {
    host: '',
    rules,
    requests,
    addManifest(repository: string, manifest: object, tag?: string): string {
      const bytes = Buffer.from(JSON.stringify(manifest));
      const type = 'mediaType' in manifest ? String(manifest.mediaType) : TYPES.manifest;
      const digest = digestOf(bytes);
      for (const name of [digest, ...(tag === undefined ? [] : [tag])])
        contents.set(`${repository}/manifests/${name}`, { type, bytes });
      return digest;
    },
    addBlob(repository: string, content: object): string {
      const bytes = Buffer.from(JSON.stringify(content));
      contents.set(`${repository}/blobs/${digestOf(bytes)}`, { type: 'application/octet-stream', bytes });
      return digestOf(bytes);
    },
    addImage(repository: string, config: object, tag?: string): string {
      const digest = registry.addBlob(repository, { os: 'linux', architecture: 'amd64', config });
      const manifest = {
        schemaVersion: 2,
        mediaType: TYPES.manifest,
        config: { mediaType: TYPES.config, digest, size: 1 },
        layers: [],
      };
      return registry.addManifest(repository, manifest, tag);
    },
  };
  const blobs = await listen((request, response) => {
    if (request.headers.authorization !== undefined) return refuse(response, 400, 'two ways to authorize');
    return sendContent(request, response, request.url?.slice(1) ?? '');
  });
  const main = await listen((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://registry');
    return pathname === '/token'
      ? token(request, response, searchParams)
      : answer(request, response, pathname);
  });
  registry.host = hostOf(main);

  function answer(request: IncomingMessage, response: ServerResponse, pathname: string): unknown {
    const [, repository = '', path = ''] = /^\/v2\/(.+)\/((?:manifests|blobs)\/[^/]+)$/.exec(pathname) ?? [];
    requests.push(`${request.method} ${path}`);
    if (repository === '') return refuse(response, 404, 'no such route');
    if (registry.rules.fails) return registry.rules.fails(response);
    if (!isLoggedIn(request, repository, registry.rules)) return challenge(response, repository, registry);
    if (!path.startsWith('blobs/') || registry.rules.redirectsBlobs !== true)
      return sendContent(request, response, `${repository}/${path}`);
    return response.writeHead(307, { location: `http://${hostOf(blobs)}/${repository}/${path}` }).end();
  }

  function token(request: IncomingMessage, response: ServerResponse, parameters: URLSearchParams): unknown {
    requests.push('TOKEN');
    const { credential } = registry.rules;
    if (parameters.get('service') !== 'registry.test') return refuse(response, 400, 'no such service');
    if (credential && request.headers.authorization !== basic(credential)) return refuse(response, 401, 'no');
    const scope = /^repository:(.+):pull$/.exec(parameters.get('scope') ?? '')?.[1];
    if (scope === undefined) return refuse(response, 400, 'no such scope');
    return response.end(JSON.stringify({ token: tokenFor(scope), expires_in: 60 }));
  }

  function sendContent(request: IncomingMessage, response: ServerResponse, name: string): unknown {
    const content = contents.get(name);
    if (content === undefined) return refuse(response, 404, 'MANIFEST_UNKNOWN');
    const { type, bytes } = content;
    if (name.includes('/manifests/') && !(request.headers.accept ?? '').includes(type))
      return refuse(response, 404, 'the manifest is of a type that was not asked for');
    const { hidesDigests, tampers = (unchanged: Buffer) => unchanged } = registry.rules;
    response.setHeader('content-type', type);
    if (hidesDigests !== true) response.setHeader('docker-content-digest', digestOf(bytes));
    return response.end(request.method === 'HEAD' ? undefined : tampers(bytes));
  }

  return Object.assign(registry, {
    async close() {
      for (const server of [main, blobs]) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  });
}

function isLoggedIn({ headers }: IncomingMessage, repository: string, rules: RegistryRules): boolean {
  switch (rules.login) {
    case 'token':
      return headers.authorization === `Bearer ${tokenFor(repository)}`;
    case 'basic':
      return rules.credential !== undefined && headers.authorization === basic(rules.credential);
    case 'none':
    case undefined:
    default:
      return headers.authorization === undefined;
  }
}

function challenge(response: ServerResponse, repository: string, { host, rules }: TestRegistryBase): unknown {
  const parameters = `realm="http://${host}/token",service="registry.test",scope="repository:${repository}:pull"`;
  const header = rules.login === 'basic' ? 'Basic realm="registry.test"' : `Bearer ${parameters}`;
  response.setHeader('www-authenticate', header);
  return refuse(response, 401, 'UNAUTHORIZED');
}
type TestRegistryBase = Pick<TestRegistry, 'host' | 'rules'>;

const tokenFor = (repository: string): string => Buffer.from(`pull ${repository}`).toString('base64url');

const basic = ({ username, password }: { username: string; password: string }): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

export const digestOf = (bytes: Buffer | string): string =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

const refuse = (response: ServerResponse, status: number, message: string): unknown =>
  response.writeHead(status).end(JSON.stringify({ errors: [{ message }] }));

async function listen(
  answer: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<Server> {
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

function hostOf(server: Server): string {
  const address = server.address();
  return `127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
}
