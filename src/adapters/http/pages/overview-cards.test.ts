import { expect, test } from '@jest/globals';
import { overviewSection } from './overview-cards.ts';

test.each([
  [1, 'Show the pipeline of this team'],
  [2, 'Show the 2 pipelines of this team'],
])('if the overview is full, the link to a team of %d says: %s', (pipelines, text) => {
  const team = { name: 'web', pipelines, shown: false, role: undefined, mayCreate: false };
  const section = String(overviewSection({ team, cards: [] }, false));
  expect(section).toContain(`>${text}</a>`);
});
