import { expect, test } from 'vitest';
import type { JsonObject } from '../../../../src/base/index.ts';
import { portWarnings } from './port-warnings.ts';

const many = (count: number, make: (index: number) => JsonObject): JsonObject[] =>
  Array.from({ length: count }, (_, index) => make(index));
const warningsOf = (ports: readonly JsonObject[]): string[] => portWarnings([[{ name: 'c', ports: [...ports] }, 'c']]);
const tcp = { containerPort: 80, protocol: 'TCP' };

test('definitions of one port are compared with those before, in their order', () => {
  const ports = [
    { ...tcp, hostPort: 8080 },
    { ...tcp, hostPort: 8080, hostIP: '10.0.0.1' },
    { ...tcp, hostPort: 8080, hostIP: '10.0.0.2' },
    { ...tcp, hostPort: 8081 },
    tcp,
    { ...tcp, hostPort: 8080 },
    { ...tcp, protocol: 'UDP' },
  ];
  expect(warningsOf(ports)).toEqual([
    'c.ports[1]: dangerously ambiguous port definition with c.ports[0]',
    'c.ports[2]: dangerously ambiguous port definition with c.ports[0]',
    'c.ports[4]: overlapping port definition with c.ports[0]',
    'c.ports[4]: overlapping port definition with c.ports[1]',
    'c.ports[4]: overlapping port definition with c.ports[2]',
    'c.ports[4]: overlapping port definition with c.ports[3]',
    'c.ports[5]: duplicate port definition with c.ports[0]',
    'c.ports[5]: dangerously ambiguous port definition with c.ports[1]',
    'c.ports[5]: dangerously ambiguous port definition with c.ports[2]',
    'c.ports[5]: overlapping port definition with c.ports[4]',
  ]);
});

test.each([
  ['the same', () => tcp],
  ['on different ports of the host', (index: number) => ({ ...tcp, hostPort: index + 1 })],
  [
    'on different addresses of the host',
    (index: number) => ({ ...tcp, hostPort: 80, hostIP: `10.0.${index >> 8}.${index & 255}` }),
  ],
] as const)('very many definitions of a port, %s, are not compared each with each', (_, make) => {
  // As many as a pod may have: there are hundreds of millions of pairs.
  expect(warningsOf(many(30_000, make)).length).toBeLessThan(3000);
});
