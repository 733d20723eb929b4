import { describeForge } from '#testing/forges/forge-contract.ts';
import { startGitea } from '#testing/forges/gitea.ts';

// Short pages: to open a request takes long.
describeForge('a real Gitea', () => startGitea({ pageSize: 5 }));
