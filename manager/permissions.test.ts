import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parseYamlDocuments } from '../src/base/index.ts';
import { HeldRules, type PolicyRule } from '../src/rbac/index.ts';
import { controllerPermissions, webhookPermissions } from './permissions.ts';

interface Role {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly rules: readonly PolicyRule[];
}

const roles = [
  { file: 'deploy/base/core-roles.yaml', name: 'core-admin', needed: controllerPermissions() },
  { file: 'deploy/base/webhooks-roles.yaml', name: 'rukpak-webhooks-admin', needed: webhookPermissions() },
];

test.each(
  roles.flatMap((role) => [
    { ...role, kind: 'ClusterRole', rules: role.needed.cluster },
    { ...role, kind: 'Role', rules: role.needed.system },
  ]),
)('the $kind $name has the rules of the definitions, and no others', async ({ file, name, kind, rules }) => {
  const objects = parseYamlDocuments(file, await readFile(file, 'utf8')) as unknown as readonly Role[];
  const role = objects.find((object) => object.kind === kind && object.metadata.name === name);
  expect(rules).not.toEqual([]);
  expect(new HeldRules(role?.rules ?? []).missing(rules)).toEqual([]);
  expect(new HeldRules(rules).missing(role?.rules ?? [])).toEqual([]);
});
