import type { Histories } from './history-format.ts';

const DEPLOY = `unit: app trigger
  deploy: app trigger passed unit`;

/** With `old_name`, the history of a job or resource continues under the new name. */
export const RENAMES: Record<string, Histories> = {
  'a renamed job': {
    'continues where it was and builds nothing again': [
      DEPLOY,
      'app v1            → unit#1 v1',
      'unit#1 ok         → unit#1 succeeded, deploy#1 v1',
      'deploy#1 ok       → deploy#1 succeeded',
      'rename unit test  →',
      'why test          → NothingNew',
      'why deploy        → NothingNew',
      'app v2            → test#2 v2',
      'test#2 ok         → test#2 succeeded, deploy#2 v2',
    ],
    'ends what it began under the old name, which counts for passed': [
      DEPLOY,
      'app v1            → unit#1 v1',
      'unit#1 starts     → unit#1 started',
      'rename unit test  →',
      'test#1 ok         → test#1 succeeded, deploy#1 v1',
    ],
    'stays paused': [
      DEPLOY,
      'pause unit        →',
      'rename unit test  →',
      'app v1            →',
      'why test          → JobPaused',
    ],
  },
  'a renamed resource': {
    'keeps its versions and what passed': [
      DEPLOY,
      'app v1            → unit#1 v1',
      'rename app repo   →',
      'unit#1 ok         → unit#1 succeeded, deploy#1 v1',
      'repo v2           → unit#2 v2',
    ],
    'stays pinned': [
      DEPLOY,
      'app v1            → unit#1 v1',
      'pin app v1        →',
      'rename app repo   →',
      'repo v2           →',
      'unpin repo        → unit#2 v2',
    ],
  },
};
