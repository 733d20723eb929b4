import { describe, expect, test } from '@jest/globals';
import { answerTo, readReview, type AdmissionVerdict, type Review } from './review.ts';

const body = (spec: unknown, request: object = {}, reviewFields: object = {}): unknown => ({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: {
    uid: 'u1',
    namespace: 'blue',
    name: 'demo',
    operation: 'CREATE',
    object: { apiVersion: 'millrace.dev/v1alpha1', kind: 'Pipeline', spec },
    ...request,
  },
  ...reviewFields,
});

describe('readReview', () => {
  test.each<[string, unknown, Review | undefined]>([
    [
      'an inline text',
      body({ config: 'x' }),
      {
        uid: 'u1',
        namespace: 'blue',
        name: 'demo',
        manifest: { config: 'x', vars: {}, varsElsewhere: false },
      },
    ],
    [
      'an inline text with varsFrom, and those of its own variables that are strings',
      body({ config: 'x', vars: { a: '1', b: 2 }, varsFrom: [{ secretRef: { name: 's' } }] }),
      {
        uid: 'u1',
        namespace: 'blue',
        name: 'demo',
        manifest: { config: 'x', vars: { a: '1' }, varsElsewhere: true },
      },
    ],
    [
      'an empty varsFrom as if it were absent',
      body({ config: 'x', varsFrom: [] }, { name: undefined }),
      { uid: 'u1', namespace: 'blue', name: '', manifest: { config: 'x', vars: {}, varsElsewhere: false } },
    ],
    [
      'no manifest from an object whose text is in a ConfigMap',
      body({ configFrom: { configMapKeyRef: { name: 'c', key: 'k' } } }),
      { uid: 'u1', namespace: 'blue', name: 'demo' },
    ],
    [
      'no manifest from an object without a spec',
      body(undefined),
      { uid: 'u1', namespace: 'blue', name: 'demo' },
    ],
    [
      'a variable named __proto__ like any other',
      body(
        { config: 'x', vars: JSON.parse('{"__proto__": "a"}') },
        { name: undefined, namespace: undefined },
      ),
      {
        uid: 'u1',
        namespace: '',
        name: '',
        manifest: { config: 'x', vars: JSON.parse('{"__proto__": "a"}'), varsElsewhere: false },
      },
    ],
    ['nothing from a review without a uid', body({ config: 'x' }, { uid: 5 }), undefined],
    ['nothing from a deletion, which has no object', body({}, { object: null }), undefined],
    ['nothing from an object of another kind', body({}, { object: { kind: 'Team' } }), undefined],
    [
      'nothing from another API version',
      body({ config: 'x' }, {}, { apiVersion: 'admission.k8s.io/v1beta1' }),
      undefined,
    ],
    ['nothing from a document of another kind', body({ config: 'x' }, {}, { kind: 'Review' }), undefined],
    ['nothing from null', null, undefined],
    ['nothing from a list', [], undefined],
    ['nothing from a string', 'config', undefined],
  ])('reads %s', (_, reviewBody, expected) => {
    expect(readReview(reviewBody)).toEqual(expected);
  });
});

const REVIEW: Review = { uid: 'u1', namespace: 'blue', name: 'demo' };
const responseTo = (verdict: AdmissionVerdict, review = REVIEW): unknown => answerTo(review, verdict);
const envelope = (answer: object): object => ({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  response: { uid: 'u1', ...answer },
});

describe('the admission response', () => {
  test.each<[string, AdmissionVerdict, object]>([
    ['allows a manifest without errors', { errors: [], warnings: [] }, { allowed: true }],
    [
      'allows a manifest with warnings and contains them',
      { errors: [], warnings: ['3:7: the job "a" has no steps'] },
      { allowed: true, warnings: ['spec.config: 3:7: the job "a" has no steps'] },
    ],
    [
      'allows a manifest that was not checked and warns about it',
      { unchecked: 'not in time' },
      { allowed: true, warnings: ['not in time'] },
    ],
    [
      'rejects a manifest with errors and lists all errors and warnings',
      { errors: ['1:1: one', '2:2: two'], warnings: ['3:3: three'] },
      {
        allowed: false,
        status: {
          status: 'Failure',
          code: 422,
          reason: 'Invalid',
          message: 'spec.config: 1:1: one\n2:2: two',
          details: {
            group: 'millrace.dev',
            kind: 'Pipeline',
            name: 'demo',
            causes: [
              { reason: 'FieldValueInvalid', field: 'spec.config', message: '1:1: one' },
              { reason: 'FieldValueInvalid', field: 'spec.config', message: '2:2: two' },
            ],
          },
        },
        warnings: ['spec.config: 3:3: three'],
      },
    ],
  ])('%s', (_, verdict, expected) => {
    expect(responseTo(verdict)).toEqual(envelope(expected));
  });

  test('omits the object name if the API server has not generated it yet', () => {
    const answer = JSON.stringify(
      responseTo({ errors: ['1:1: one'], warnings: [] }, { ...REVIEW, name: '' }),
    );
    expect(answer).toContain('"kind":"Pipeline","causes"');
  });

  test('limits the length of the error list, but does not truncate an error', () => {
    const errors = Array.from({ length: 2000 }, (_, index) => `${index}:1: ${'x'.repeat(100)}`);
    const answer: { response: { status: { message: string; details: { causes: { message: string }[] } } } } =
      JSON.parse(JSON.stringify(responseTo({ errors, warnings: [] })));
    const { message, details } = answer.response.status;
    expect(message.length).toBeLessThan(33_000);
    const lines = details.causes.map((cause) => cause.message);
    expect(lines.slice(0, -1)).toEqual(errors.slice(0, lines.length - 1));
    expect(lines.at(-1)).toBe(`… and ${errors.length - lines.length + 1} more`);
    expect(message).toBe(`spec.config: ${lines.join('\n')}`);
  });

  test('limits the number and length of warnings', () => {
    const warnings = Array.from({ length: 30 }, () => 'x'.repeat(400));
    const answer: { response: { warnings: string[] } } = JSON.parse(
      JSON.stringify(responseTo({ errors: [], warnings })),
    );
    expect(answer.response.warnings).toHaveLength(21);
    expect(Math.max(...answer.response.warnings.map(({ length }) => length))).toBe(250);
    expect(answer.response.warnings.at(-1)).toBe('… and 10 more warnings');
  });
});
