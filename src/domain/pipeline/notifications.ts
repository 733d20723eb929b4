import {
  blocksOf,
  labelAt,
  namesAt,
  rangeOfEmptiedList,
  stringAt,
  stringsAt,
} from '#domain/language/block-values.ts';
import { diagnose, type Report } from '#domain/language/diagnostic.ts';
import type { LocatedString } from '#domain/language/read-attribute.ts';
import type { ReadBlock } from '#domain/language/read-block.ts';
import type { Label } from '#domain/language/syntax.ts';
import { withArticle } from '#domain/language/with-article.ts';
import type { JobNames } from './job-names.ts';
import { checkName, claimName } from './name.ts';
import { textsByName, warnOfUnknown } from './parameter-names.ts';
import { checkParameters } from './parameter-rules.ts';
import type { Notification, NotificationEvent, NotificationType } from './pipeline.ts';
import { findType, ownerOf } from './resources.ts';
import type { KnownTypes, NamedType } from './type-kinds.ts';

export interface KnownNotification {
  notification: Notification;
  type: NotificationType;
  jobs: readonly LocatedString[];
  exclude: readonly LocatedString[];
}

/** Notifications by `<type>.<label>`. `broken`: declared, but an error was reported. */
export type KnownNotifications = ReadonlyMap<string, KnownNotification | 'broken'>;

/** Reads the notifications. `resolveJobs` adds their jobs later, when the names of all jobs are known. */
export function readNotifications(
  blocks: readonly ReadBlock[],
  types: KnownTypes<Omit<NotificationType, keyof NamedType>>,
  report: Report,
): KnownNotifications {
  const taken = new Map<string, Label>();
  const notifications = new Map<string, KnownNotification | 'broken'>();
  for (const block of blocks) {
    const label = labelAt(block, 1);
    const name = `${labelAt(block, 0).text}.${label.text}`;
    const isNameValid = checkName(report, 'name', 'notification', label);
    if (!claimName(taken, report, 'notification', { text: name, range: label.range })) continue;
    const type = findType(block, 'notification type', types, report);
    const notification = type && readNotification(block, type, report);
    const jobs = namesAt(block, 'jobs');
    const exclude = namesAt(block, 'exclude');
    notifications.set(name, notification && isNameValid ? { notification, type, jobs, exclude } : 'broken');
  }
  return notifications;
}

function readNotification(block: ReadBlock, type: NotificationType, report: Report): Notification {
  const [params] = blocksOf(block, 'params');
  const parameters = params?.parameters ?? [];
  warnOfUnknown(parameters, type, report);
  const description = withArticle(`${type.name} notification`);
  checkParameters(type, { parameters, owner: ownerOf(block), context: block, description }, report);
  checkJobFilter(block, report);
  const label = labelAt(block, 1).text;
  const message = stringAt(block, 'message');
  return {
    name: `${type.name}.${label}`,
    type: type.name,
    label,
    params: textsByName(parameters),
    ...(message && { message: message.text }),
    on: readEvents(stringsAt(block, 'on'), report),
  };
}

/** Each build that ends has exactly one of these events. `changed` always comes with one of them. */
const ALL_EVENTS: readonly NotificationEvent[] = ['success', 'failure', 'cancel'];
const EVENTS: readonly NotificationEvent[] = [...ALL_EVENTS, 'changed'];

function readEvents(on: readonly LocatedString[], report: Report): NotificationEvent[] {
  const all = on.find(({ text }) => text === 'all');
  if (all && on.some(({ text }) => text !== 'all'))
    report(diagnose('notification-events', all.range, 'all includes every other event'));
  return all ? [...ALL_EVENTS] : EVENTS.filter((event) => on.some(({ text }) => text === event));
}

function checkJobFilter(block: ReadBlock, report: Report): void {
  const { attributes } = block;
  const jobs = attributes.get('jobs');
  const emptied = rangeOfEmptiedList(block, 'jobs');
  if (emptied)
    report(
      diagnose(
        'notification-jobs',
        emptied,
        'the expression leaves no job in jobs: every job would send it',
        'If you mean every job, write jobs = null.',
      ),
    );
  const exclude = attributes.get('exclude');
  if (jobs && exclude) {
    const message = 'jobs and exclude cannot be used together';
    report(diagnose('notification-jobs', exclude.nameRange, message));
  }
  for (const [name, attribute] of [['jobs', jobs] as const, ['exclude', exclude] as const]) {
    if (attribute && !attributes.has('on'))
      report(diagnose('notification-without-on', attribute.nameRange, `${name} has no meaning without on`));
  }
}

/** The notifications of the pipeline, each with the jobs that it is for. */
export function resolveJobs(
  notifications: KnownNotifications,
  names: JobNames,
  report: Report,
): Notification[] {
  const valid = [...notifications.values()].filter((known) => known !== 'broken');
  return valid.map(({ notification, jobs, exclude }) => {
    const included = names.expand(jobs, report);
    const excluded = new Set(names.expand(exclude, report));
    if (jobs.length > 0) return { ...notification, jobs: included };
    if (exclude.length === 0) return notification;
    return { ...notification, jobs: names.all.filter((name) => !excluded.has(name)) };
  });
}
