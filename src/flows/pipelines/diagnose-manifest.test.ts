import { describe, expect, test } from '@jest/globals';
import { diagnose, type Diagnostic } from '#domain/language/diagnostic.ts';
import type { Compilation } from '#domain/pipeline/compile.ts';
import { UNKNOWN_OTHERS, type GivenVariables } from '#domain/pipeline/variables.ts';
import { diagnoseManifest, type ManifestDiagnosis, type ManifestText } from './diagnose-manifest.ts';

const RANGE = { start: { line: 3, column: 7, byte: 9 }, end: { line: 3, column: 8, byte: 10 } };

async function diagnosis(
  compilation: Diagnostic[] | Compilation,
  manifest: Partial<ManifestText> = {},
): Promise<ManifestDiagnosis & { compiledWith: GivenVariables | undefined }> {
  let compiledWith: GivenVariables | undefined;
  const result = await diagnoseManifest(
    { config: 'text', vars: {}, varsElsewhere: false, ...manifest },
    {
      compile: async (_, variables) => {
        compiledWith = variables;
        return Array.isArray(compilation) ? { diagnostics: compilation } : compilation;
      },
    },
  );
  return { ...result, compiledWith };
}

describe('a manifest', () => {
  test.each<[string, Diagnostic[], ManifestDiagnosis]>([
    ['a manifest with a valid text has no diagnostics', [], { errors: [], warnings: [] }],
    [
      'a manifest with errors and warnings has all of them, separately, worded as in the condition Ready of the Pipeline',
      [
        diagnose('unknown-block', RANGE, 'there is no block "jobb"'),
        diagnose('job-without-steps', RANGE, 'the job "a" has no steps'),
        diagnose('variable-missing', undefined, 'no value'),
      ],
      {
        errors: ['3:7: there is no block "jobb"', 'no value'],
        warnings: ['3:7: the job "a" has no steps'],
      },
    ],
    ...(['time-limit', 'machine-busy', 'memory-limit', 'engine-fault'] as const).map(
      (code): [string, Diagnostic[], ManifestDiagnosis] => [
        `a manifest whose text could not be read (${code}) is not refused for that`,
        [diagnose(code, undefined, 'it did not end')],
        { errors: [], warnings: ['it did not end'] },
      ],
    ),
  ])('%s', async (_, diagnostics, expected) => {
    expect(await diagnosis(diagnostics)).toMatchObject(expected);
  });

  test('a manifest with texts elsewhere says which ones are not checked', async () => {
    const needs = [{ source: 'https://types.example/a.hcl', range: RANGE }, { source: 'svc://ours' }];
    expect(await diagnosis({ diagnostics: [], needs })).toMatchObject({
      errors: [],
      warnings: [
        '3:7: https://types.example/a.hcl is fetched and validated only after the Pipeline is applied',
        'svc://ours is fetched and validated only after the Pipeline is applied',
      ],
    });
  });

  test.each<[string, Partial<ManifestText>, GivenVariables]>([
    ['a manifest without variables gives none', {}, {}],
    ['a manifest gives its own variables', { vars: { a: '1' } }, { a: { value: '1' } }],
    [
      'a manifest that takes variables from elsewhere says that any may have a value',
      { vars: { a: '1' }, varsElsewhere: true },
      { a: { value: '1' }, [UNKNOWN_OTHERS]: { value: '' } },
    ],
  ])('%s', async (_, manifest, expected) => {
    expect((await diagnosis([], manifest)).compiledWith).toEqual(expected);
  });
});
