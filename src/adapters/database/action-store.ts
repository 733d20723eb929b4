import type { ActionStore } from '#flows/action-ports.ts';
import { buildsByPeople } from './builds-by-people.ts';
import { pauses } from './pauses.ts';
import type { Database } from './pool.ts';
import { regenerateWebhook } from './regenerate-webhook.ts';
import { versionsByPeople } from './versions-by-people.ts';

export function actionStore(database: Database): ActionStore {
  return {
    ...pauses(database),
    ...versionsByPeople(database),
    ...buildsByPeople(database),
    regenerateWebhook: (name, change) => regenerateWebhook(database, name, change),
  };
}
