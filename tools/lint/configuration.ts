import { defined } from '#defined';
import { filesOf, seenBy, type AdapterRules, type Folder, type Override, type Table } from './table.ts';

/** A pattern of oxlint's rule no-restricted-imports. */
interface Pattern {
  group?: string[];
  regex?: string;
  allowTypeImports?: true;
  allowImportNames?: string[];
  message: string;
}

/** Every folder may import `src/defined.ts`. */
const DEFINED = '!#defined';

/** Only tests import test data. */
const TEST_DATA = ['#domain/**/testdata/**', './testdata/**'];

const NO_ENTRY_POINT = [
  '#config',
  '#testing/**',
  '**/operator/**',
  '#operator/**',
  '**/gateway/**',
  '#gateway/**',
  '**/agent/**',
  '**/cli/**',
  '#cli/**',
];

/** The content of .oxlintrc.json. Of two overrides for a file, the later one applies. */
export function configurationOf(table: Table): Record<string, unknown> {
  const { domain, flows, adapters, overrides } = table;
  return {
    ...table.base,
    overrides: [
      ...domain.folders.map((folder) => domainFolder(folder, domain)),
      ...flowFolders(flows.folders),
      ...adapters.rooms.flatMap((room) => adapter(room, adapters.shared)),
      sharedAdapters(adapters.shared),
      ...overrides,
    ],
  };
}

function override(files: string[], patterns: Pattern[]): Override {
  return { files, rules: { 'no-restricted-imports': ['error', { patterns }] } };
}

function describeOrder(room: string, name: string, sees: readonly string[]): string {
  return sees.length === 0
    ? `${room}/${name} imports no other folder of ${room}.`
    : `${room}/${name} imports only these folders of ${room}: ${sees.join(', ')}.`;
}

function domainFolder(folder: Folder, { shared, folders }: Table['domain']): Override {
  const sees = seenBy(folders).get(folder.name) ?? [];
  const allowed = [...shared, ...sees.map((name) => `${name}/**`)].map((path) => `!#domain/${path}`);
  const group = ['*', '!./**', DEFINED, ...allowed, ...TEST_DATA];
  return override(
    [filesOf('domain', folder, folders)],
    [{ group, message: describeOrder('domain', folder.name, sees) }],
  );
}

/** Files outside of the folders, such as names.ts, may be imported by all. */
function flowFolders(folders: readonly Folder[]): Override[] {
  const base = ['*', '!./**', DEFINED, '!#domain/**'];
  const message = 'Flows import the domain, and reach the outside through their ports.';
  return [
    override(['src/flows/**/*.ts'], [{ group: [...base, '!#flows/**', ...TEST_DATA], message }]),
    ...folders.map((folder) => {
      const sees = seenBy(folders).get(folder.name) ?? [];
      const allowed = sees.map((name) => `!#flows/${name}/**`);
      const group = [...base, '!#flows/*', ...allowed, ...TEST_DATA];
      return override(
        [filesOf('flows', folder, folders)],
        [{ group, message: `${message} ${describeOrder('flows', folder.name, sees)}` }],
      );
    }),
  ];
}

function adapter(room: AdapterRules, shared: readonly string[]): Override[] {
  const { name, folders = [] } = room;
  const message = `Adapters import the domain, flows, ${shared.join(', ')} and packages.`;
  return [
    override(
      [`src/adapters/${name}/**/*.ts`],
      [{ group: refuseOtherAdapters([name, ...shared]), message }, ...typesOnly(room, {})],
    ),
    ...folders.map((folder) => adapterFolder(room, folder, shared)),
  ];
}

function adapterFolder(room: AdapterRules, folder: Folder, shared: readonly string[]): Override {
  const { name, folders = [] } = room;
  const files = [filesOf(`adapters/${name}`, folder, folders)];
  const { packages } = folder;
  if (packages !== undefined) {
    const group = [
      '*',
      '!./**',
      DEFINED,
      '!#domain/**',
      ...packages.map((packageName) => `!${packageName}`),
      ...TEST_DATA,
    ];
    const message = `${name}/${folder.name} is pure: it imports the domain and ${packages.join(', ')}.`;
    return override(files, [...typesOnly(room, folder), { group, message }]);
  }
  const sees = seenBy(folders).get(folder.name) ?? [];
  const group = refuseOtherAdapters([...sees.map((seen) => `${name}/${seen}`), ...shared]);
  return override(files, [
    { group, message: describeOrder(name, folder.name, sees) },
    ...typesOnly(room, folder),
  ]);
}

/** Patterns that refuse all adapters but these, entry points, the configuration, harnesses and test data. */
function refuseOtherAdapters(adapters: readonly string[]): string[] {
  return [
    '../**',
    '#adapters/**',
    ...adapters.map((name) => `!#adapters/${name}/**`),
    ...NO_ENTRY_POINT,
    ...TEST_DATA,
  ];
}

function typesOnly(room: AdapterRules, { domain, flows }: Pick<Folder, 'domain' | 'flows'>): Pattern[] {
  if (room.typesOnly !== true) return [];
  return [
    {
      regex: '^#domain/',
      allowTypeImports: true,
      ...defined({ allowImportNames: domain }),
      message: 'Flows decide. This adapter imports types, constants and encodings of the domain.',
    },
    {
      regex: '^#flows/',
      allowTypeImports: true,
      ...defined({ allowImportNames: flows }),
      message: 'An adapter implements the ports of flows, and calls no flow.',
    },
  ];
}

function sharedAdapters(shared: readonly string[]): Override {
  return override(
    shared.map((name) => `src/adapters/${name}/**/*.ts`),
    [{ group: refuseOtherAdapters([]), message: `${shared.join(' and ')} import no other adapter.` }],
  );
}
