import { describe, expect, test } from '@jest/globals';
import { answerTo, readReview, type AdmissionVerdict, type Review } from './review.ts';

const body = (spec: unknown, request: object = {}, whole: object = {}): unknown => ({
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
  ...whole,
});

describe('a question', () => {
  test.each<[string, unknown, Review | undefined]>([
    [
      'about a text',
      body({ config: 'x' }),
      {
        uid: 'u1',
        namespace: 'blue',
        name: 'demo',
        manifest: { config: 'x', vars: {}, varsElsewhere: false },
      },
    ],
    [
      'about a text with variables of its own and from elsewhere',
      body({ config: 'x', vars: { a: '1', b: 2 }, varsFrom: [{ secretRef: { name: 's' } }] }),
      {
        uid: 'u1',
        namespace: 'blue',
        name: 'demo',
        manifest: { config: 'x', vars: { a: '1' }, varsElsewhere: true },
      },
    ],
    [
      'with an empty list of sources of variables',
      body({ config: 'x', varsFrom: [] }, { name: undefined }),
      { uid: 'u1', namespace: 'blue', name: '', manifest: { config: 'x', vars: {}, varsElsewhere: false } },
    ],
    [
      'about a text elsewhere',
      body({ configFrom: { configMapKeyRef: { name: 'c', key: 'k' } } }),
      { uid: 'u1', namespace: 'blue', name: 'demo' },
    ],
    ['about a manifest without a spec', body(undefined), { uid: 'u1', namespace: 'blue', name: 'demo' }],
    [
      'with the names of what every object has',
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
    ['without an id', body({ config: 'x' }, { uid: 5 }), undefined],
    ['about a deletion, which has no object', body({}, { object: null }), undefined],
    ['about another kind', body({}, { object: { kind: 'Team' } }), undefined],
    ['in another version', body({ config: 'x' }, {}, { apiVersion: 'admission.k8s.io/v1beta1' }), undefined],
    ['of another kind', body({ config: 'x' }, {}, { kind: 'Review' }), undefined],
    ['that is nothing', null, undefined],
    ['that is a list', [], undefined],
    ['that is a text', 'config', undefined],
  ])('%s', (_, asked, expected) => {
    expect(readReview(asked)).toEqual(expected);
  });
});

const asked: Review = { uid: 'u1', namespace: 'blue', name: 'demo' };
const response = (verdict: AdmissionVerdict, review = asked): unknown => answerTo(review, verdict);
const envelope = (answer: object): object => ({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  response: { uid: 'u1', ...answer },
});

describe('the answer', () => {
  test.each<[string, AdmissionVerdict, object]>([
    ['lets in what has nothing wrong', { errors: [], warnings: [] }, { allowed: true }],
    [
      'lets in what has warnings, and tells them',
      { errors: [], warnings: ['3:7: the job "a" has no steps'] },
      { allowed: true, warnings: ['spec.config: 3:7: the job "a" has no steps'] },
    ],
    [
      'lets in what could not be checked, and says so',
      { unchecked: 'not in time' },
      { allowed: true, warnings: ['not in time'] },
    ],
    [
      'refuses what has errors, with all of them and the warnings',
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
    expect(response(verdict)).toEqual(envelope(expected));
  });

  test('leaves out a name that the API server has yet to make up', () => {
    const answer = JSON.stringify(response({ errors: ['1:1: one'], warnings: [] }, { ...asked, name: '' }));
    expect(answer).toContain('"kind":"Pipeline","causes"');
  });

  test('is bounded, however many errors there are, and cuts none of them in two', () => {
    const errors = Array.from({ length: 2000 }, (_, index) => `${index}:1: ${'x'.repeat(100)}`);
    const answer: { response: { status: { message: string; details: { causes: { message: string }[] } } } } =
      JSON.parse(JSON.stringify(response({ errors, warnings: [] })));
    const { message, details } = answer.response.status;
    expect(message.length).toBeLessThan(33_000);
    const lines = details.causes.map((cause) => cause.message);
    expect(lines.slice(0, -1)).toEqual(errors.slice(0, lines.length - 1));
    expect(lines.at(-1)).toBe(`… and ${errors.length - lines.length + 1} more`);
    expect(message).toBe(`spec.config: ${lines.join('\n')}`);
  });

  test('has few and short warnings, however many there are', () => {
    const warnings = Array.from({ length: 30 }, () => 'x'.repeat(400));
    const answer: { response: { warnings: string[] } } = JSON.parse(
      JSON.stringify(response({ errors: [], warnings })),
    );
    expect(answer.response.warnings).toHaveLength(21);
    expect(Math.max(...answer.response.warnings.map(({ length }) => length))).toBe(250);
    expect(answer.response.warnings.at(-1)).toBe('… and 10 more warnings');
  });
});
