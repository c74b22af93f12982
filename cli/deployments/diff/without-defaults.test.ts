import { expect, test } from 'vitest';
import { withoutDefaults } from './without-defaults.ts';

const defaults = { imagePullPolicy: 'IfNotPresent', terminationMessagePath: '/dev/termination-log' };
const web = { name: 'web', image: 'web:v1' };

test('a new container is shown as the manifest has it, and one that stays as the server has it', () => {
  const before = { spec: { replicas: 1, containers: [{ ...web, ...defaults }] } };
  const manifest = {
    spec: {
      containers: [
        { name: 'log', image: 'log:v1' },
        { ...web, image: 'web:v2' },
      ],
    },
  };
  const after = {
    spec: {
      replicas: 1,
      containers: [
        { name: 'log', image: 'log:v1', ...defaults },
        { ...web, ...defaults, image: 'web:v2' },
      ],
    },
  };
  expect(withoutDefaults(after, before, manifest)).toEqual({
    spec: {
      replicas: 1,
      containers: [
        { name: 'log', image: 'log:v1' },
        { ...web, ...defaults, image: 'web:v2' },
      ],
    },
  });
});

test('a new object is its manifest', () => {
  expect(withoutDefaults({ spec: { type: 'ClusterIP', ports: [] } }, undefined, { spec: { ports: [] } })).toEqual({
    spec: { ports: [] },
  });
});

test('what something else added, and what was changed, stays visible', () => {
  const after = { annotations: { injected: 'true' }, labels: { a: '2' } };
  expect(withoutDefaults(after, { labels: { a: '1' } }, { labels: { a: '2' } })).toEqual(after);
});
