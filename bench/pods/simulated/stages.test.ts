import { expect, test } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { kwokConfiguration } from './stages.ts';

interface Document {
  kind: string;
  metadata?: { name: string };
  spec?: {
    selector: { matchExpressions: { key: string; operator: string; values?: string[] }[] };
    delay?: { durationMilliseconds: number };
  };
}

const documents = parseAllDocuments(kwokConfiguration({ startMs: 300, bareMs: 100 })).map(
  (document): Document => document.toJS(),
);
const stage = (name: string) => documents.find(({ metadata }) => metadata?.name === name)?.spec;

test("kwok's configuration has one document for itself and one for each stage", () => {
  expect(documents.map(({ kind }) => kind)).toEqual([
    'KwokConfiguration',
    'Stage',
    'Stage',
    'Stage',
    'Stage',
  ]);
});

test('Pods start and bare Pods end after the configured times', () => {
  expect(stage('pod-ready')?.delay?.durationMilliseconds).toBe(300);
  expect(stage('pod-complete')?.delay?.durationMilliseconds).toBe(100);
});

test('only bare Pods end by themselves, because agents end the others', () => {
  expect(stage('pod-complete')?.selector.matchExpressions).toContainEqual({
    key: '.metadata.labels["millrace-bench"]',
    operator: 'In',
    values: ['bare'],
  });
});

test('a Pod that has ended is not deleted twice', () => {
  expect(stage('pod-delete')?.selector.matchExpressions).toContainEqual({
    key: '.status.phase',
    operator: 'In',
    values: ['Pending', 'Running'],
  });
});
