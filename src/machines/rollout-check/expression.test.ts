import { expect, test } from 'vitest';
import { poolNodeObject, poolObject } from '../../../test/support/pool-cluster.ts';
import type { JsonObject } from '../../base/index.ts';
import { expressionProblem } from './expression.ts';

const json = (object: unknown): JsonObject => object as JsonObject;
const pool = json(poolObject('worker'));
const node = json(poolNodeObject('w1', { labels: { role: 'web' } }));
const afterNode = { pool, node };
const beforeBatch = { pool, nodes: [node, json(poolNodeObject('w2', { ready: 'False' }))] };

test.each([
  `node.metadata.labels['role'] == 'web'`,
  `node.status.conditions.exists(c, c.type == 'Ready' && c.status == 'True')`,
  `pool.metadata.name == 'worker'`,
])('after a node, %s is true', (text) => expect(expressionProblem(text, afterNode)).toBeUndefined());

test('before a batch, an expression reads all nodes of the pool', () => {
  const ready = `.status.conditions.exists(c, c.type == 'Ready' && c.status == 'True')`;
  expect(expressionProblem(`nodes.exists(n, n${ready})`, beforeBatch)).toBeUndefined();
  expect(expressionProblem(`nodes.all(n, n${ready})`, beforeBatch)).toBe(`nodes.all(n, n${ready}) is false`);
});

test.each([
  { name: 'a fault', text: 'node.metadata.name ==', problem: /^the expression does not compile: / },
  {
    name: 'another variable',
    text: 'nodes.size() > 0',
    problem: /^the expression does not compile: .*undeclared reference/s,
  },
  { name: 'a number', text: '1 + 1', problem: /^the expression must be a truth value, not int$/ },
  {
    name: 'a text that is only known when it runs',
    text: 'node.metadata.name',
    problem: /^the expression is not a truth value$/,
  },
  {
    name: 'a field that does not exist',
    text: `node.spec.nothing == 'a'`,
    problem: /^the expression has no value: no such key: nothing$/,
  },
])('$name is not true, and the text names the problem', ({ text, problem }) => {
  expect(expressionProblem(text, afterNode)).toMatch(problem);
});

test('an expression that costs too much is ended, and is not true', () => {
  const list = `[${Array.from({ length: 100 }, (_, index) => String(index)).join(', ')}]`;
  const text = `${list}.all(a, ${list}.all(b, ${list}.all(c, ${list}.all(d, a + b + c + d >= 0))))`;
  expect(text.length).toBeLessThan(4096);
  expect(expressionProblem(text, afterNode)).toMatch(/^the expression has no value: .*cost limit/);
});
