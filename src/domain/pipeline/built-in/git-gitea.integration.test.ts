import { describeForge } from '#testing/forges/forge-contract.ts';
import { startGitea } from '#testing/forges/gitea.ts';

describeForge('a real Gitea', startGitea);
