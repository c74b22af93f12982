import { expect, test } from 'vitest';
import { requestAttributes } from './request-attributes.ts';

const root = '/apis/example.com/v1';

test.each([
  ['GET', `${root}/widgets`, 'list', '', '', ''],
  ['GET', `${root}/widgets?watch=1`, 'watch', '', '', ''],
  ['GET', `${root}/widgets?watch=false`, 'list', '', '', ''],
  ['GET', `${root}/namespaces/a/widgets/b`, 'get', 'a', 'b', ''],
  ['HEAD', `${root}/namespaces/a/widgets/b/icon`, 'get', 'a', 'b', 'icon'],
  ['GET', `${root}/namespaces/a/widgets/b/proxy/x/y`, 'get', 'a', 'b', 'proxy/x/y'],
  ['POST', `${root}/namespaces/a/widgets`, 'create', 'a', '', ''],
  ['DELETE', `${root}/namespaces/a/widgets`, 'deletecollection', 'a', '', ''],
  ['DELETE', `${root}/namespaces/a/widgets/b%20c`, 'delete', 'a', 'b c', ''],
  ['PATCH', `${root}/widgets/b`, 'patch', '', 'b', ''],
])('%s %s is %s', (method, url, ...expected) => {
  const [verb, namespace, name, subresource] = expected;
  const resource = { kind: 'resource', group: 'example.com', version: 'v1', resource: 'widgets' };
  expect(requestAttributes(method, url)).toEqual({ ...resource, verb, namespace, name, subresource });
});

test.each(['/apis', '/apis/example.com/v1', '/openapi/v2', '/apis/example.com/v1/'])('%s is a path', (path) => {
  expect(requestAttributes('GET', `${path}?a=b`)).toEqual({ kind: 'path', verb: 'get', path });
});
