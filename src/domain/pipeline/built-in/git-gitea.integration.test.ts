import { describeForge } from '#testing/forges/forge-contract.ts';
import { startGitea } from '#testing/forges/gitea.ts';

// The pages are short, because opening many pull requests takes long.
describeForge('a real Gitea', () => startGitea({ pageSize: 5 }), { reviews: true });
