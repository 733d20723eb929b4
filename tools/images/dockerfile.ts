import { posix } from 'node:path';
import { defaultPath, type Contents, type Image } from './contents.ts';

/** The Dockerfile of the same images for container engines, generated from the list. */
export function dockerfile(contents: Contents): string {
  const { suite, go, node, images } = contents;
  const head = `# Made by "node tools/images/main.ts --dockerfile" from config/images.json: change that, not this.
#   docker build --target millrace --tag localhost/millrace:dev .
# Without an engine "make images" makes the same images, smaller: it can leave out packages that Debian's
# dependencies ask for and nothing here uses.

FROM --platform=$BUILDPLATFORM golang:${go}-${suite} AS go

FROM --platform=$BUILDPLATFORM node:${node.version}-${suite} AS build
COPY --from=go /usr/local/go /usr/local/go
ENV PATH=/usr/local/go/bin:$PATH
WORKDIR /src
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY . .
RUN node tools/dist/main.ts

FROM node:${node.version}-${suite}-slim AS node
`;
  const targets = Object.entries(images).map(([name, image]) => target(suite, name, image));
  return [head, ...targets].join('\n');
}

function target(suite: string, name: string, image: Image): string {
  const { user } = image;
  const env = { PATH: defaultPath, HOME: user.home, ...image.env };
  const entrypoint = image.entrypoint.length > 0 ? `ENTRYPOINT ${list(image.entrypoint)}` : 'CMD ["/bin/sh"]';
  const lines = [
    `# ${image.about}`,
    `FROM debian:${suite}-slim AS ${name}`,
    ...(Object.values(image.files)
      .flat()
      .some((from) => from.includes('{arch}'))
      ? ['ARG TARGETARCH']
      : []),
    run(commands(image)),
    ...(image.node ? ['COPY --from=node /usr/local/bin/node /usr/local/bin/node'] : []),
    ...Object.entries(image.files).flatMap(([to, from]) => copies(to, from)),
    `ENV ${Object.entries(env)
      .map(([key, value]) => `${key}="${value}"`)
      .join(' ')}`,
    `USER ${user.id}:${user.id}`,
    `WORKDIR ${image.workdir}`,
    ...image.ports.map((port) => `EXPOSE ${port}`),
    `STOPSIGNAL ${image.stopSignal}`,
    entrypoint,
  ];
  return `${lines.join('\n')}\n`;
}

/** Users before packages: a package that needs the same user finds it. */
function commands({ user, packages, remove, links, directories }: Image): readonly string[] {
  const account = `--uid ${user.id} --gid ${user.id} --home-dir ${user.home} --no-create-home --shell ${user.shell}`;
  const owned = [...directories, user.home].filter(
    (path, at, all) => path !== '/tmp' && all.indexOf(path) === at,
  );
  return [
    `groupadd --gid ${user.id} ${user.name}`,
    `useradd ${account} ${user.name}`,
    'apt-get update',
    `apt-get install --yes --no-install-recommends ${packages.join(' ')}`,
    'rm -rf /var/lib/apt/lists/*',
    ...(remove.length > 0 ? [`rm -rf ${remove.join(' ')}`] : []),
    ...linkCommands(links),
    ...(owned.length > 0 ? [`install -d -o ${user.id} -g ${user.id} -m 0775 ${owned.join(' ')}`] : []),
  ];
}

/** Links with one target in one folder are created in a loop. */
function linkCommands(links: Image['links']): readonly string[] {
  const groups = Map.groupBy(Object.entries(links), ([path, to]) => `${to} ${posix.dirname(path)}`);
  return [...groups].map(([group, members]) => {
    const [to = '', folder = ''] = group.split(' ');
    const names = members.map(([path]) => posix.basename(path));
    const [first = ''] = names;
    const ln = to === 'busybox' ? 'busybox ln' : 'ln';
    if (names.length === 1) return `${ln} -sfn ${to} ${folder}/${first}`;
    return `for name in ${names.join(' ')}; do ${ln} -sfn ${to} "${folder}/$name"; done`;
  });
}

function copies(to: string, from: string | readonly string[]): readonly string[] {
  if (typeof from === 'string') {
    const [flag, source] = from.startsWith('dist/') ? ['--from=build ', `/src/${from}`] : ['', `${from}/`];
    return [`COPY ${flag}${source.replace('{arch}', '${TARGETARCH}')} ${to}`];
  }
  // COPY copies the content of a folder, so each folder has a line of its own.
  const folders = from.filter((path) => path.endsWith('/'));
  const files = from.filter((path) => !path.endsWith('/')).map((path) => `/src/${path}`);
  return [
    `COPY --from=build ${files.join(' ')} ${to}/`,
    ...folders.map((path) => `COPY --from=build /src/${path} ${to}/${posix.basename(path)}/`),
  ];
}

function run(steps: readonly string[]): string {
  return `RUN ${steps.join(' \\\n && ')}`;
}

function list(words: readonly string[]): string {
  return `[${words.map((word) => JSON.stringify(word)).join(', ')}]`;
}
