import { closestName } from '#domain/language/suggest.ts';
import { listBuiltInTypes, type BuiltInType } from '#domain/pipeline/list-built-in-types.ts';
import { printResult, renderTable, type OutputOptions } from './output.ts';
import { CommandError, EXIT, type Exit, type Paint, type Terminal } from './terminal.ts';

export interface TypesOptions extends OutputOptions {
  /** Only types of this kind, such as `resource_type`. */
  kind?: string;
}

/** Lists the built-in types, with their parameters. */
export async function listTypes(options: TypesOptions, terminal: Terminal): Promise<Exit> {
  await printResult(typesOfKind(options.kind), options, terminal, { render: renderTypes, names: namesOf });
  return EXIT.success;
}

const namesOf = (types: readonly BuiltInType[]): string[] => types.map(({ kind, name }) => `${kind}/${name}`);

const renderTypes = (types: readonly BuiltInType[], paint: Paint, isWide: boolean): string =>
  renderTable(
    ['KIND', 'NAME', 'ALIASES', 'PARAMETERS', 'WHAT IT IS FOR'],
    types.map(({ kind, name, aliases, params, description }) => [
      kind,
      name,
      aliases.join(', '),
      isWide ? params.join(', ') : shorten(params),
      description,
    ]),
    paint,
  );

const MAX_LISTED_PARAMS = 4;

const shorten = (params: readonly string[]): string =>
  params.length <= MAX_LISTED_PARAMS
    ? params.join(', ')
    : `${params.slice(0, MAX_LISTED_PARAMS).join(', ')} and ${params.length - MAX_LISTED_PARAMS} more`;

/** Prints the definition of a built-in type, as HCL. `reference` is a name, an alias, or `svc://<name>`. */
export async function showType(reference: string, options: TypesOptions, terminal: Terminal): Promise<Exit> {
  const name = reference.replace(/^svc:\/\//, '');
  const types = typesOfKind(options.kind);
  const matching = types.filter((type) => type.name === name || type.aliases.includes(name));
  if (matching.length === 0) throw new CommandError(noSuchType(name, types));
  await printResult(matching, options, terminal, {
    render: () => matching.map(renderHcl).join('\n'),
    names: namesOf,
  });
  return EXIT.success;
}

const renderHcl = ({ kind, name, description, definition }: BuiltInType): string =>
  definition === undefined
    ? `# ${description}\n# ${kind} "${name}" has no definition in HCL: Millrace itself does its work.\n`
    : `# ${description}\n${definition}`;

function typesOfKind(kind: string | undefined): BuiltInType[] {
  const types = listBuiltInTypes();
  return kind === undefined ? types : types.filter((type) => type.kind === kind);
}

function noSuchType(name: string, types: readonly BuiltInType[]): string {
  const near = closestName(
    name,
    types.flatMap((type) => [type.name, ...type.aliases]),
  );
  const advice = near === undefined ? '`millrace types list` lists them' : `did you mean ${near}?`;
  return `no type ${name} comes with Millrace; ${advice}`;
}
