import { diagnose } from '#domain/language/diagnostic.ts';
import { blocksOf } from '#domain/language/read-block.ts';
import { builtInNotificationTypes } from './built-in-types.ts';
import { readCommand } from './command.ts';
import { declaredParams, withDeclaredParams } from './parameter-names.ts';
import type { NotificationType } from './pipeline.ts';
import type { Kind, Named } from './type-kinds.ts';

export const notificationTypes: Kind<Omit<NotificationType, keyof Named>> = {
  block: 'notification_type',
  what: 'notification type',
  own: ['notify'],
  builtIn: builtInNotificationTypes,
  read(block, around) {
    const params = declaredParams(block, around.report);
    const [command] = blocksOf(block, 'notify');
    if (!command && !block.misread.has('notify'))
      around.report(diagnose('missing-block', block.range, 'notification_type needs a block notify'));
    const notify = command && readCommand(command, around);
    return notify && { params, notify };
  },
  configure: withDeclaredParams,
  commands: ({ notify }) => [['notify', notify]],
  withCommands: (type, change) => ({ ...type, notify: change(type.notify) }),
};
