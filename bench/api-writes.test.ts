import { expect, test } from '@jest/globals';
import { difference, writesIn } from './api-writes.ts';

const METRICS = `
# TYPE apiserver_request_total counter
apiserver_request_total{code="201",group="",resource="pods",subresource="",verb="POST"} 4
apiserver_request_total{code="409",group="",resource="pods",subresource="",verb="POST"} 1
apiserver_request_total{code="201",group="",resource="pods",subresource="binding",verb="POST"} 3
apiserver_request_total{code="200",group="",resource="pods",subresource="",verb="LIST"} 9
apiserver_request_total{code="200",group="coordination.k8s.io",resource="leases",subresource="",verb="PUT"} 50
apiserver_request_total{code="201",group="authentication.k8s.io",resource="tokenreviews",subresource="",verb="POST"} 5
`;

test('writes are summed by verb, resource and subresource, without reads, leases and reviews', () => {
  expect(writesIn(METRICS)).toEqual({ 'POST pods': 5, 'POST pods binding': 3 });
});

test('the difference of two samples contains only the counts that grew', () => {
  expect(difference({ 'POST pods': 4, 'PATCH pods': 2 }, { 'POST pods': 5, 'PATCH pods': 2, x: 1 })).toEqual({
    'POST pods': 1,
    x: 1,
  });
});
