import { defined } from '#defined';
import { blocksOf } from '#domain/language/block-values.ts';
import { diagnose } from '#domain/language/diagnostic.ts';
import { builtInSecretTypes } from './built-in-types.ts';
import { declaredParams, textsByName, withDeclaredParams } from './parameter-names.ts';
import type { SecretType } from './pipeline.ts';
import { readCommand } from './read-command.ts';
import { checkSecretType } from './secret-rules.ts';
import type { NamedType, TypeKind } from './type-kinds.ts';

export type SecretDefinition = Omit<SecretType, keyof NamedType> & { params: string[] };

/** Secret types. A built-in one has no `get`, because the gateway itself reads the values. */
export const secretTypes: TypeKind<SecretDefinition> = {
  block: 'secret_type',
  noun: 'secret type',
  ownItems: ['get'],
  builtIn: builtInSecretTypes,
  read(block, context) {
    const params = declaredParams(block, context.report);
    const config = textsByName(block.parameters);
    const [command] = blocksOf(block, 'get');
    const get = command && readCommand(command, context);
    if (!command && !block.misread.has('get') && !context.embedded)
      context.report(diagnose('missing-block', block.range, 'secret_type needs a block get, or a source'));
    if (!get && !context.embedded) return undefined;
    return { params, config, ...defined({ get }) };
  },
  commands: ({ get }) => (get ? [['get', get]] : []),
  configure: (type, block, report) => ({
    ...withDeclaredParams(type, block, report),
    config: { ...type.config, ...textsByName(block.parameters) },
  }),
  checkConfiguration: checkSecretType,
  withCommands: (type, change) => (type.get ? { ...type, get: change(type.get) } : type),
};
