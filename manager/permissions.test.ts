import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parseYamlDocuments } from '../src/base/index.ts';
import { missingRules, type PolicyRule } from '../src/rbac/index.ts';
import { controllerPermissions } from './permissions.ts';

interface Role {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly rules: readonly PolicyRule[];
}

test.each([
  { kind: 'ClusterRole', place: 'cluster' },
  { kind: 'Role', place: 'system' },
] as const)(
  'the $kind of the controllers has the rules of their definitions, and no others',
  async ({ kind, place }) => {
    const file = 'deploy/base/core-roles.yaml';
    const objects = parseYamlDocuments(file, await readFile(file, 'utf8')) as unknown as readonly Role[];
    const role = objects.find((object) => object.kind === kind && object.metadata.name === 'core-admin');
    const needed = controllerPermissions()[place];
    expect(missingRules(role?.rules ?? [], needed)).toEqual([]);
    expect(missingRules(needed, role?.rules ?? [])).toEqual([]);
  },
);
