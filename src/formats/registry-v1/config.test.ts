import { expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../base/index.ts';
import { configProblems, readConfig } from './config.ts';
import type { ConfigScope } from './config-schema.ts';
import type { InstallMode } from './csv.ts';

const words: Readonly<Record<string, InstallMode>> = {
  A: 'AllNamespaces',
  O: 'OwnNamespace',
  S: 'SingleNamespace',
  M: 'MultiNamespace',
};
const scope = (letters: string): ConfigScope => ({
  modes: Array.from(letters, (letter) => words[letter] as InstallMode).sort(),
  installNamespace: 'i',
});

const missing = 'required field "watchNamespace" is missing';
const unknown =
  'unknown field "watchNamespace": it takes the install mode OwnNamespace or SingleNamespace, and the operator supports the install modes AllNamespaces only: leave the field out to watch all namespaces';
const notOwn =
  'invalid format for field "watchNamespace": \'x\' is not valid ownNamespaceInstallMode: invalid value "x": must be "i" (the namespace where the operator is installed) because this operator only supports OwnNamespace install mode';
const notOther =
  'invalid format for field "watchNamespace": \'i\' is not valid singleNamespaceInstallMode: invalid value "i": must be different from "i" (the install namespace) because this operator uses SingleNamespace install mode to watch a different namespace';

/** One row a combination of modes: what {}, null, the install namespace and another namespace lead to. */
test.each<[string, (string | string[])[]]>([
  ['A', [[], unknown, unknown, unknown]],
  ['O', [missing, missing, ['i'], notOwn]],
  ['S', [missing, missing, notOther, ['x']]],
  ['OS', [missing, missing, ['i'], ['x']]],
  ['AO', [[], [], ['i'], notOwn]],
  ['AS', [[], [], notOther, ['x']]],
  ['AOS', [[], [], ['i'], ['x']]],
])('RV-C1 to RV-C5: modes %s', (letters, results) => {
  const inputs: JsonObject[] = [{}, { watchNamespace: null }, { watchNamespace: 'i' }, { watchNamespace: 'x' }];
  for (const [index, input] of inputs.entries()) {
    const result = results[index];
    if (typeof result === 'string') expect(configProblems(input, scope(letters))).toEqual([result]);
    else expect(readConfig(input, scope(letters)).targetNamespaces).toEqual(result);
  }
});

test.each<[string, JsonValue, string[]]>([
  ['RV-C6', { watchNamespace: 'a'.repeat(64) }, ['field "watchNamespace" must have maximum length of 63 (len=64)']],
  [
    'RV-C7',
    { watchNamespace: 'Bad_Name' },
    ['field "watchNamespace" must match pattern "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"'],
  ],
  ['RV-C8', { watchNamespace: 'x', deploymentConfig: { selector: {} } }, ['unknown field "selector"']],
  ['RV-C9', { watchNamespace: 'x', deploymentConfig: null }, ['required field "deploymentConfig" is missing']],
  [
    'RV-C10',
    { watchNamespace: 'x', deploymentConfig: { env: [{ value: 'a' }] } },
    ['required field "deploymentConfig.env.0.name" is missing'],
  ],
  [
    'a wrong type',
    { watchNamespace: 'x', deploymentConfig: { env: 'LOG' } },
    ['invalid type for field "deploymentConfig.env": got string, want array'],
  ],
  ['no object', true, ['invalid type: got boolean, want object']],
  ['only the first unknown key', { watchNamespace: 'x', zeta: 1, alpha: 2 }, ['unknown field "zeta"']],
  [
    'a typo deep inside',
    { watchNamespace: 'x', deploymentConfig: { volumes: [{ name: 'a', secret: { secretNmae: 'b' } }] } },
    ['unknown field "deploymentConfig.volumes.0.secret.secretNmae"'],
  ],
  [
    'an unknown provider of certificates',
    { watchNamespace: 'x', certProvider: 'mine' },
    ['invalid value for field "certProvider": expected one of cert-manager, openshift-service-ca, self, none'],
  ],
  [
    'RV-K3 two entries of one name',
    { watchNamespace: 'x', deploymentConfig: { env: [{ name: 'A' }, { name: 'A' }] } },
    ['field "deploymentConfig.env" has more than one entry with name "A"'],
  ],
])('%s is reported by its path', (_name, config, texts) => {
  expect(configProblems(config, scope('OS'))).toEqual(texts);
});

test('RV-C11 several problems are listed', () => {
  expect(() => readConfig({ a: 1, deploymentConfig: { env: 'x' } }, scope('A'))).toThrow(
    'invalid configuration: multiple errors found:\n  - unknown field "a"\n  - invalid type for field "deploymentConfig.env": got string, want array',
  );
});

test('an amendment that there is not is refused with the names of those that there are', () => {
  const [text] = configProblems({ withoutAmendments: ['nonsense'] }, scope('A'));
  expect(text).toMatch(
    /^invalid value for field "withoutAmendments\.0": expected one of api-versions, .*webhook-ports/,
  );
});

test('several namespaces can be watched where that is supported, and not beside one', () => {
  expect(readConfig({ watchNamespaces: ['x', 'y'] }, scope('M')).targetNamespaces).toEqual(['x', 'y']);
  expect(configProblems({ watchNamespaces: ['x'] }, scope('S'))).toContain(
    'unknown field "watchNamespaces": it takes the install mode MultiNamespace, and the operator supports the install modes SingleNamespace only: set watchNamespace to the namespace to watch',
  );
  expect(configProblems({ watchNamespaces: ['x'] }, scope('AO'))).toEqual([
    'unknown field "watchNamespaces": it takes the install mode MultiNamespace, and the operator supports the install modes AllNamespaces, OwnNamespace only: leave the field out to watch all namespaces, or set watchNamespace to "i", the install namespace',
  ]);
  expect(configProblems({ watchNamespace: 'x', watchNamespaces: ['y'] }, scope('SM'))).toEqual([
    'fields "watchNamespace" and "watchNamespaces" are mutually exclusive',
  ]);
  expect(configProblems({ watchNamespaces: ['x', 'x'] }, scope('M'))).toEqual([
    'field "watchNamespaces" must not name a namespace twice',
  ]);
});

test('without a bundle only the form is validated', () => {
  expect(configProblems({ installNamespace: 'a', watchNamespace: 'b', amendments: 'none' })).toEqual([]);
  expect(configProblems({ installNamespace: 'A' })).toHaveLength(1);
  const resources = { limits: { cpu: '500m', memory: '1.5Gi', disk: 5, many: '1e3' }, requests: { cpu: '.5' } };
  expect(configProblems({ deploymentConfig: { resources } })).toEqual([]);
});

test('without a bundle an unknown field is reported by its path, with the known ones', () => {
  const [typo] = configProblems({ watchNamspace: 'a' });
  expect(typo).toMatch(/^unknown field "watchNamspace": expected one of installNamespace, .*watchNamespace/);
  expect(configProblems({ deploymentConfig: { replicas: 3 } })).toEqual([
    'unknown field "deploymentConfig.replicas": expected one of affinity, annotations, env, envFrom, nodeSelector, resources, tolerations, volumeMounts, volumes',
  ]);
});

test('accepted values are returned', () => {
  const config = { certProvider: 'none', amendments: 'none', deploymentConfig: { nodeSelector: { a: 'b' } } };
  expect(readConfig(config, scope('A'))).toEqual({
    targetNamespaces: [],
    certificateProvider: 'none',
    amendments: 'none',
    deploymentConfig: { nodeSelector: { a: 'b' } },
  });
  expect(readConfig({ withoutAmendments: ['api-versions'] }, scope('A')).amendments).toEqual({
    without: ['api-versions'],
  });
  expect(readConfig({ dropForeignConversion: true }, scope('A')).dropForeignConversion).toBe(true);
  expect(readConfig({ dropForeignConversion: false }, scope('A'))).toEqual({ targetNamespaces: [] });
  expect(configProblems({ dropForeignConversion: 'yes' })).toEqual([
    'invalid type for field "dropForeignConversion": got string, want boolean',
  ]);
});
