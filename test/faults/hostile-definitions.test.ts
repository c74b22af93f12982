import { expect, test } from 'vitest';
import { startApiServer } from '../../apiserver/index.ts';

type Property = Readonly<Record<string, unknown>>;

/** A CustomResourceDefinition whose versions have these properties. */
function definition(versions: readonly Readonly<Record<string, Property>>[]): object {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'things', kind: 'Thing' },
      versions: versions.map((properties, index) => ({
        name: `v${index + 1}`,
        served: true,
        storage: index === 0,
        schema: { openAPIV3Schema: { type: 'object', properties } },
      })),
    },
  };
}

const text = (pattern: string): Property => ({ type: 'string', maxLength: 10, pattern });
const ruled = (pattern: string): Property => ({
  type: 'string',
  maxLength: 10,
  'x-kubernetes-validations': [{ rule: `self.matches('${pattern}')` }],
});
const properties = (count: number, make: (index: number) => Property): Record<string, Property> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, make(index)]));

const large = 'a{0,1000}'.repeat(20);

test.each([
  ['one pattern', [properties(1, () => text(large.repeat(15)))]],
  ['many patterns', [properties(300, (index) => text(`${large}${index}`))]],
  ['many rules', [properties(300, (index) => ruled(`${large}${index}`))]],
  ['many versions', Array.from({ length: 20 }, (_, index) => properties(2, (at) => text(`${large}${index}-${at}`)))],
])('a definition whose regular expressions take long to compile is refused before: %s', async (_name, versions) => {
  await using server = await startApiServer({ simulation: false });
  await expect(server.client.create(definition(versions) as never)).rejects.toThrow(
    /spec\.versions: Forbidden: the regular expressions of all versions are too large: size: \d+, limit 300000/,
  );
});

test('a definition with as many regular expressions as published ones have is created, and validates', async () => {
  await using server = await startApiServer({ simulation: false });
  const label = '[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?';
  const made = definition([
    { ...properties(300, (index) => text(`^${label}(\\.${label})*-${index}$`)), ruled: ruled(label) },
  ]);
  await server.client.create(made as never);
  const thing = { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'a', namespace: 'default' } };
  await expect(server.client.create({ ...thing, p7: 'a.b-8' } as never)).rejects.toThrow("should match '^[a-z0-9]");
});
