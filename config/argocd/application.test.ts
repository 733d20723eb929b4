import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parseAllDocuments } from 'yaml';

/* What broke under a real Argo CD when an example lacked it (docs/how-to/argocd.md says why). */
const applications: unknown[] = parseAllDocuments(
  readFileSync(join(import.meta.dirname, 'application.yaml'), 'utf8'),
).map((document): unknown => document.toJS());

test('there is an Application for Millrace, and one for its Teams and Pipelines', () => {
  expect(applications).toMatchObject([
    { kind: 'Application', metadata: { name: 'millrace' } },
    { kind: 'Application', metadata: { name: 'pipelines' } },
  ]);
});

describe.each(applications.map((application, index) => ({ application, index })))(
  'Application $index',
  ({ application }) => {
    test('gives up a commit that is being retried when there is a newer one', () => {
      expect(application).toHaveProperty('spec.syncPolicy.retry.refresh', true);
    });

    test('deletes what is no longer in Git, and undoes changes by hand', () => {
      expect(application).toHaveProperty('spec.syncPolicy.automated', { prune: true, selfHeal: true });
    });

    test('takes its objects along when it is deleted', () => {
      expect(application).toHaveProperty('metadata.finalizers', ['resources-finalizer.argocd.argoproj.io']);
    });

    test('applies server-side, because definitions are too long for a client-side apply', () => {
      expect(application).toHaveProperty(
        'spec.syncPolicy.syncOptions',
        expect.arrayContaining(['ServerSideApply=true']),
      );
    });
  },
);
