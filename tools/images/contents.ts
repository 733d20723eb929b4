import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';
import { checkout } from '#tools/checkout.ts';

const Architecture = Type.Union([Type.Literal('amd64'), Type.Literal('arm64')]);

const NodePackage = Type.Object({ name: Type.String(), integrity: Type.String() });

const ImageContents = Type.Object(
  {
    about: Type.String(),
    user: Type.Object({
      name: Type.String(),
      id: Type.Integer({ minimum: 1 }),
      home: Type.String(),
      shell: Type.String(),
    }),
    packages: Type.Array(Type.String()),
    /**
     * Debian packages that dependencies ask for but the image does not need. They are reported to apt as
     * installed.
     */
    skippedDependencies: Type.Array(Type.String()),
    /** Paths that are removed after the packages are unpacked. */
    removedPaths: Type.Array(Type.String()),
    links: Type.Record(Type.String(), Type.String()),
    node: Type.Boolean(),
    directories: Type.Array(Type.String()),
    /**
     * Target path → a file, or a folder whose content is copied; or patterns (folders end with a slash) whose
     * matches are copied under their own names.
     */
    files: Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String())])),
    env: Type.Record(Type.String(), Type.String()),
    workdir: Type.String(),
    entrypoint: Type.Array(Type.String()),
    stopSignal: Type.String(),
    ports: Type.Array(Type.Integer()),
  },
  { additionalProperties: false },
);

const Contents = Type.Object({
  /** Debian release, such as `bookworm`. */
  suite: Type.String(),
  /** Time stamp of all files (`SOURCE_DATE_EPOCH`), in seconds. */
  epoch: Type.Integer(),
  /** Go version of the Dockerfile's build stage; without a container engine the machine's Go is used. */
  go: Type.String(),
  node: Type.Object({
    version: Type.String(),
    packages: Type.Object({ amd64: NodePackage, arm64: NodePackage }),
  }),
  images: Type.Record(Type.String(), ImageContents),
});

export type Architecture = Static<typeof Architecture>;
export type ImageContents = Static<typeof ImageContents>;
export type Contents = Static<typeof Contents>;

/** The folder of this tool. */
export const imagesFolder = import.meta.dirname;

/** The list of what each image contains; a test compares the Dockerfile with it. */
export function readContents(): Contents {
  return Value.Parse(Contents, JSON.parse(readFileSync(join(checkout, 'config/images.json'), 'utf8')));
}

export function isArchitecture(text: string): text is Architecture {
  return text === 'amd64' || text === 'arm64';
}

/** PATH of every image, unless the list says otherwise. */
export const defaultPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin';
