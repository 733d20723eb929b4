/** Ids of the steps that send automatic notifications begin with this. Those of `notify` steps do not. */
export const NOTIFICATION_ID_PREFIX = 'notification.';

/** The id of the automatic notification with this index in the job. */
export const notificationId = (index: number): string => `${NOTIFICATION_ID_PREFIX}${index}`;

/** Whether the step sends an automatic notification. */
export const isAutomaticNotification = ({ id }: { id: string }): boolean =>
  id.startsWith(NOTIFICATION_ID_PREFIX);
