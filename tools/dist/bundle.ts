import { readdir, rm, writeFile } from 'node:fs/promises';
import { basename, join, parse } from 'node:path';
import { build, type BuildOptions, type OutputFile } from 'esbuild';
import { checkout } from '#tools/checkout.ts';
import { outputFolder } from './inputs.ts';
import { loadLess } from './load-less.ts';

/** Native packages that no bundle contains. pg runs without pg-native; dist has those of sharp and argon2. */
const native = ['pg-native', '@img/sharp-*', '@node-rs/argon2-*'];

/** `require` for CommonJS modules within an ES module. */
const requireForCommonJs =
  "import { createRequire as createRequireOfBundle } from 'node:module'; " +
  'const require = createRequireOfBundle(import.meta.url);';

const sharedOptions: BuildOptions = {
  absWorkingDir: checkout,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  // Stack traces stay readable, and a crash prints a short line of code.
  minifyWhitespace: true,
  lineLimit: 120,
  minifySyntax: true,
  legalComments: 'none',
  sourcemap: 'linked',
  metafile: true,
  write: false,
  outdir: 'dist',
  external: native,
  // Loaded with import(), so it must be the ES module: the CommonJS one has only a default export.
  alias: { '@peculiar/x509': '@peculiar/x509/build/x509.es.js' },
  // A bundled module is never the main program.
  define: { 'import.meta.main': 'false' },
  banner: { js: requireForCommonJs },
  logLevel: 'silent',
  plugins: [loadLess],
};

/** The project's own files and the package folders in a bundle, relative to the checkout. */
export type Inputs = { readonly sources: readonly string[]; readonly packages: readonly string[] };

/**
 * Bundles millrace.js into dist. What it imports dynamically is in chunks, so that each entry point loads
 * only what it needs. Removes chunks of earlier bundles.
 */
export async function bundleEntryPoints(entry: string): Promise<Inputs> {
  const { files, inputs } = await bundle({
    ...sharedOptions,
    entryPoints: { millrace: entry },
    splitting: true,
    chunkNames: 'chunk-[hash]',
  });
  await write(files);
  const written = new Set(files.map((file) => basename(file.path)));
  for (const file of await readdir(outputFolder)) {
    if (file.startsWith('chunk-') && !written.has(file)) await rm(join(outputFolder, file));
  }
  return inputs;
}

/** CommonJS starts fastest: Node does not have to detect the format or start its ES module loader. */
const commonJs: BuildOptions = { format: 'cjs', banner: {}, outExtension: { '.js': '.cjs' }, plugins: [] };

/** Bundles a program into one file, CommonJS or an ES module. Refuses packages in `unwanted`. */
export async function bundleIntoOneFile(file: string, entry: string, unwanted: readonly string[]): Promise<Inputs> {
  const { name, ext } = parse(file);
  const formatOptions = ext === '.cjs' ? commonJs : {};
  const { files, inputs } = await bundle({
    ...sharedOptions,
    ...formatOptions,
    entryPoints: { [name]: entry },
  });
  refuseUnwanted(file, inputs, unwanted);
  await write(files);
  return inputs;
}

/**
 * Bundles the command line, without the parts of an installation, into a folder. Refuses packages in
 * `unwanted`.
 */
export async function bundleCommandLine(folder: string, unwanted: readonly string[]): Promise<void> {
  const program = await bundle({
    ...sharedOptions,
    outdir: folder,
    sourcemap: false,
    entryPoints: { millrace: 'src/command-line-main.ts' },
    splitting: true,
    chunkNames: 'chunk-[hash]',
  });
  refuseUnwanted('millrace.js', program.inputs, unwanted);
  await write(program.files);
}

/** Bundles the start of an executable: one file, as CommonJS. */
export async function bundleExecutableStart(folder: string): Promise<void> {
  const entryPoints = { executable: 'src/cli/executable.ts' };
  const { files } = await bundle({
    ...sharedOptions,
    ...commonJs,
    outdir: folder,
    sourcemap: false,
    entryPoints,
  });
  await write(files);
}

function refuseUnwanted(file: string, { packages }: Inputs, unwanted: readonly string[]): void {
  const forbidden = unwanted.filter((name) =>
    packages.some((folder) => folder.endsWith(`node_modules/${name}`)),
  );
  if (forbidden.length > 0)
    throw new Error(`${file} contains ${forbidden.join(', ')}, which it must not carry.`);
}

async function bundle(options: BuildOptions) {
  const { outputFiles = [], metafile } = await build(options);
  const sources = Object.keys(metafile?.inputs ?? {}).filter((path) => !path.includes('node_modules/'));
  return { files: outputFiles, inputs: { sources, packages: packagesOf(metafile?.outputs ?? {}) } };
}

async function write(files: readonly OutputFile[]): Promise<void> {
  for (const file of files) await writeFile(file.path, file.contents);
}

type Outputs = Readonly<
  Record<string, { readonly inputs: Readonly<Record<string, { readonly bytesInOutput: number }>> }>
>;

/** Package folders in a bundle, relative to the checkout. */
export function packagesOf(outputs: Outputs): readonly string[] {
  const used = Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  );
  const folders = used.flatMap((path) => {
    const match = /^(?<folder>.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.groups?.['folder'];
    return match === undefined ? [] : [match];
  });
  return [...new Set(folders)].toSorted();
}
