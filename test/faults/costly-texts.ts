/** Texts on which a careless regular expression, or a careless loop, takes minutes: by name, what reads them. */
import { trackUpdate } from '../../apiserver/apply/index.ts';
import type { KubeObject } from '../../apiserver/core/index.ts';
import { applyStrategicMergePatch } from '../../apiserver/patch/index.ts';
import { caBundleProblem } from '../../apiserver/registry/crd/conversion-rules.ts';
import { readSchedule } from '../../apiserver/registry/kinds/index.ts';
import { fieldReferenceErrors } from '../../apiserver/registry/kinds/pod/field-references.ts';
import { overlapWarnings } from '../../apiserver/registry/kinds/pod/volume-overlaps.ts';
import { loadBuiltinSchemas } from '../../apiserver/schema/index.ts';
import {
  formatYamlPieces,
  type JsonObject,
  parseJson,
  parseYamlDocuments,
  redactUrl,
  trimEnd,
} from '../../src/base/index.ts';
import { basicTypes, compileProgram, isFaulty, kubernetesFunctions } from '../../src/cel/index.ts';
import { traitsOf } from '../../src/formats/helm/templates.ts';
import { configProblems } from '../../src/formats/registry-v1/config.ts';
import { pollIntervalOf } from '../../src/olm/catalog-source/poll-interval.ts';
import { missingRules } from '../../src/rbac/index.ts';
import { indexAddress } from '../../src/sources/chart-index.ts';
import { openKeyring } from '../../src/sources/pull-credentials.ts';

const length = 1_400_000;
const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

function evaluateDouble(text: string): void {
  const environment = {
    functions: kubernetesFunctions(),
    variables: new Map([['text', basicTypes.string]]),
    structs: new Map(),
  };
  const program = compileProgram('double(text) > 0.0', environment);
  if (isFaulty(program)) throw new Error('the expression has faults');
  program.run(() => text, 1e9);
}

function readKeyring(key: string): void {
  const auths = JSON.stringify({ auths: { [key]: { auth: 'YTpi' } } });
  const data = { '.dockerconfigjson': Buffer.from(auths).toString('base64') };
  openKeyring({ secrets: [{ name: 'pull', type: 'kubernetes.io/dockerconfigjson', data }] });
}

/** `missingRules` asks whether one path is held by another that ends with a star. */
function comparePaths(own: string): void {
  missingRules([{ verbs: ['get'], nonResourceURLs: [own] }], [{ verbs: ['get'], nonResourceURLs: ['/healthz'] }]);
}

function warnOfVolume(projected: JsonObject): void {
  overlapWarnings({ volumes: [{ name: 'v', projected }] });
}

/** Files of a volume, by their paths. */
function projectedItems(paths: readonly string[]): JsonObject {
  return { sources: [{ configMap: { name: 'a', items: paths.map((path) => ({ key: 'a', path })) } }] };
}

function pollAt(interval: string): void {
  const spec = { sourceType: 'grpc', updateStrategy: { registryPoll: { interval } } } as const;
  pollIntervalOf({ spec } as unknown as Parameters<typeof pollIntervalOf>[0]);
}

function readTemplate(text: string): void {
  const file = { path: 'templates/a.yaml', content: Buffer.from(text) };
  traitsOf([{ files: [file] }] as unknown as Parameters<typeof traitsOf>[0]);
}

function createManagedBy(operation: 'Apply' | 'Update', count: number): void {
  const managedFields = many(count, (at) => ({
    manager: `m${at}`,
    operation,
    apiVersion: 'v1',
    time: '2026-01-01T00:00:00Z',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:data': { [`f:k${at}`]: {} } },
  }));
  const updated = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', managedFields } } as KubeObject;
  const actor = { manager: 'a', apiVersion: 'v1', now: '2026-01-01T00:00:00Z' };
  trackUpdate({ ...actor, live: undefined, updated, schema: loadBuiltinSchemas().kind('', 'v1', 'ConfigMap') });
}

function deleteByPatch(count: number): void {
  const object = { spec: { containers: [{ name: 'c', env: many(count, (at) => ({ name: `e${at}` })) }] } };
  const env = many(count, (at) => ({ $patch: 'delete', name: `z${at}` }));
  const patch = { spec: { containers: [{ name: 'c', '$setElementOrder/env': [{ name: 'e0' }], env }] } };
  applyStrategicMergePatch(object, patch, loadBuiltinSchemas().kind('', 'v1', 'Pod'));
}

export const costlyTexts: Readonly<Record<string, () => unknown>> = {
  'a quantity of digits in spec.config': () =>
    configProblems({ deploymentConfig: { resources: { limits: { cpu: `${'1'.repeat(length)}x` } } } }),
  'thousands of variables in spec.config': () =>
    configProblems({ deploymentConfig: { env: many(200_000, (at) => ({ name: `a${at}` })) } }),
  'thousands of wrong variables in spec.config': () =>
    configProblems({ deploymentConfig: { env: many(700_000, () => 1) } }),
  'a YAML tag before empty lines': () => parseYamlDocuments('text', `!a${'\n'.repeat(length)}`),
  'a YAML number of millions of digits': () => parseYamlDocuments('text', '1'.repeat(16_000_000)),
  'a JSON number of millions of digits': () => parseJson('text', '1'.repeat(32_000_000)),
  'a YAML block with empty lines in it': () =>
    [...formatYamlPieces({ a: `b${'\n'.repeat(length)}c`, d: 'e'.repeat(100) }, 50)].length,
  'an address of question marks': () => redactUrl(`git@host:a${'?'.repeat(length)}`),
  'an address of slashes': () => trimEnd(`https://host${'/'.repeat(length)}a`, '/'),
  'a registry of slashes in a pull secret': () => readKeyring(`host/${'/'.repeat(length)}a`),
  'a path of stars in a role': () => comparePaths(`/${'*'.repeat(length)}a*`),
  'digits that CEL converts': () => evaluateDouble(`${'1'.repeat(length)}x`),
  'a schedule of digits in a CronJob': () => readSchedule(`@every ${'1'.repeat(length)}`),
  'a file of slashes in a volume': () => warnOfVolume(projectedItems([`a${'/'.repeat(length)}a`])),
  'thousands of files in a volume': () => warnOfVolume(projectedItems(many(300_000, (at) => `a/${at}`))),
  'thousands of sources in a volume that repeat thousands of files': () =>
    warnOfVolume({
      sources: [
        ...(projectedItems(many(50_000, (at) => `a/${at}`))['sources'] as JsonObject[]),
        ...many(60_000, () => ({ clusterTrustBundle: {} })),
      ],
    }),
  'digits in the interval of a CatalogSource': () => pollAt('1'.repeat(length)),
  'a template of opening braces': () => readTemplate('{'.repeat(length)),
  'a repository of charts with an address of slashes': () => indexAddress(`https://host/${'/'.repeat(length)}a`),
  'beginnings of certificates in the conversion of a definition': () =>
    caBundleProblem(Buffer.from('-----BEGIN CERTIFICATE-----'.repeat(200_000)).toString('base64')),
  'thousands of managers that updated an object': () => createManagedBy('Update', 120_000),
  'thousands of deletions in a patch': () => deleteByPatch(200_000),
  'a field path of brackets in a pod': () =>
    fieldReferenceErrors({ apiVersion: 'v1', fieldPath: `a${"['".repeat(length / 2)}]` }, 'fieldRef', []),
};
