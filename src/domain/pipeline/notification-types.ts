import { blocksOf } from '#domain/language/block-values.ts';
import { diagnose } from '#domain/language/diagnostic.ts';
import { builtInNotificationTypes } from './built-in-types.ts';
import { declaredParams, withDeclaredParams } from './parameter-names.ts';
import type { NotificationType } from './pipeline.ts';
import { readCommand } from './read-command.ts';
import type { NamedType, TypeKind } from './type-kinds.ts';

export const notificationTypes: TypeKind<Omit<NotificationType, keyof NamedType>> = {
  block: 'notification_type',
  noun: 'notification type',
  ownItems: ['notify'],
  builtIn: builtInNotificationTypes,
  read(block, context) {
    const params = declaredParams(block, context.report);
    const [command] = blocksOf(block, 'notify');
    if (!command && !block.misread.has('notify'))
      context.report(diagnose('missing-block', block.range, 'notification_type needs a block notify'));
    const notify = command && readCommand(command, context);
    return notify && { params, notify };
  },
  configure: withDeclaredParams,
  commands: ({ notify }) => [['notify', notify]],
  withCommands: (type, change) => ({ ...type, notify: change(type.notify) }),
};
