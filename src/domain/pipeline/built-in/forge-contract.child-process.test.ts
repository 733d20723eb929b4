import { describeForge } from '#testing/forges/forge-contract.ts';
import { startImitatedForge } from '#testing/forges/imitated-forge.ts';
import { forgejo, github, gitlab } from '#testing/forges/imitated-forges.ts';

describeForge('an imitated GitHub', () => startImitatedForge(github));
describeForge('an imitated GitLab', () => startImitatedForge(gitlab));
describeForge('an imitated Forgejo', () => startImitatedForge(forgejo), { reviews: true });
