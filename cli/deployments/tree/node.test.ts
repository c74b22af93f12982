import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { formatTree, type TreeNode } from './node.ts';

test('names, versions and messages of others stay one line each, and do nothing to the terminal', () => {
  const hostile = '\u001b[2J\r\nfake\u202e';
  const node: TreeNode = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    name: hostile,
    state: 'Failed',
    message: hostile,
    version: hostile,
    isKept: false,
    children: [],
  };
  const shown = formatTree(node, new PassThrough() as unknown as NodeJS.WriteStream);
  expect(shown).toMatch(/^ClusterRole\.rbac\.authorization\.k8s\.io \\x1b\[2J\\x0d\\x0afake\\u202e .*\n$/);
  expect(shown.slice(0, -1)).not.toMatch(/\p{Cc}|\u202e/u);
});
