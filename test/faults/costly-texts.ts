/** Texts on which a careless regular expression, or a careless loop, takes minutes: by name, what reads them. */
import { trackUpdate } from '../../apiserver/apply/index.ts';
import { mergeApplied } from '../../apiserver/apply/merge.ts';
import { backendsOf } from '../../apiserver/controllers/endpoints/pod-addresses.ts';
import { slicesOf } from '../../apiserver/controllers/endpoints/slices.ts';
import { subsetsOf } from '../../apiserver/controllers/endpoints/subsets.ts';
import { atOnce, type KubeObject, matchesLabelSelector } from '../../apiserver/core/index.ts';
import { parseAccept } from '../../apiserver/http/negotiation.ts';
import { applyStrategicMergePatch } from '../../apiserver/patch/index.ts';
import { caBundleProblem } from '../../apiserver/registry/crd/conversion-rules.ts';
import { readSchedule } from '../../apiserver/registry/kinds/index.ts';
import { fieldReferenceErrors } from '../../apiserver/registry/kinds/pod/field-references.ts';
import { overlapWarnings } from '../../apiserver/registry/kinds/pod/volume-overlaps.ts';
import { loadBuiltinSchemas } from '../../apiserver/schema/index.ts';
import { catchUp } from '../../apiserver/simulation/revisions.ts';
import { columnsOfPrinterColumns } from '../../apiserver/table/index.ts';
import {
  formatYamlPieces,
  type JsonObject,
  parseJson,
  parseYamlDocuments,
  redactUrl,
  trimEnd,
} from '../../src/base/index.ts';
import { parseField } from '../../src/bundle-checks/field-path.ts';
import { basicTypes, compileProgram, isFaulty, kubernetesFunctions } from '../../src/cel/index.ts';
import { withoutUndeclaredField } from '../../src/cluster-version/apply/undeclared-fields.ts';
import { readDependencies } from '../../src/constraints/index.ts';
import { enumValues } from '../../src/crd-safety/checks/enum.ts';
import { type Participant, unmetOf, usersOf } from '../../src/dependencies/index.ts';
import { traitsOf } from '../../src/formats/helm/templates.ts';
import { configProblems } from '../../src/formats/registry-v1/config.ts';
import { KubeRejection } from '../../src/kube/index.ts';
import { pollIntervalOf } from '../../src/olm/catalog-source/poll-interval.ts';
import { HeldRules, type PolicyRule } from '../../src/rbac/index.ts';
import { indexAddress } from '../../src/sources/chart-index.ts';
import { leavesRoot } from '../../src/sources/definitions/leaves-root.ts';
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

/** Whether one path is held by another that ends with a star. */
function comparePaths(own: string): void {
  const rule = { verbs: ['get'], nonResourceURLs: [own] };
  new HeldRules([rule]).missing([{ verbs: ['get'], nonResourceURLs: ['/healthz'] }]);
}

function multiplied(count: number, prefix: string): PolicyRule {
  const texts = many(count, (at) => `${prefix}${at}`);
  return { verbs: texts, apiGroups: texts, resources: texts };
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
  atOnce(trackUpdate({ ...actor, live: undefined, updated, schema: loadBuiltinSchemas().kind('', 'v1', 'ConfigMap') }));
}

function deleteByPatch(count: number): void {
  const object = { spec: { containers: [{ name: 'c', env: many(count, (at) => ({ name: `e${at}` })) }] } };
  const env = many(count, (at) => ({ $patch: 'delete', name: `z${at}` }));
  const patch = { spec: { containers: [{ name: 'c', '$setElementOrder/env': [{ name: 'e0' }], env }] } };
  applyStrategicMergePatch(object, patch, loadBuiltinSchemas().kind('', 'v1', 'Pod'));
}

function applyFinalizers(count: number): void {
  const metadata = { name: 'a', finalizers: many(count, (at) => `example.com/f${at}`) };
  mergeApplied({ metadata }, { metadata }, loadBuiltinSchemas().kind('', 'v1', 'ConfigMap'));
}

/** A ReplicaSet of which a user has written the annotations becomes the latest again. */
function catchUpWith(history: string): void {
  const annotations = {
    'deployment.kubernetes.io/revision': '1',
    'deployment.kubernetes.io/revision-history': history,
  };
  const set = { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: { annotations }, spec: {} };
  catchUp({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: {}, spec: {} } as KubeObject, set as KubeObject, 2);
}

/** What a PodDisruptionBudget costs whenever one of its pods changes. */
function selectPods(matchExpressions: readonly JsonObject[]): void {
  const selector = { matchExpressions: [...matchExpressions] };
  for (let pod = 0; pod < 30_000; pod += 1) matchesLabelSelector(selector, { app: 'a', index: `${pod}` });
}

function findNamedPorts(count: number): void {
  const status = { phase: 'Running', podIP: '10.0.0.1' };
  const ports = many(count, (at) => ({ name: `p${at}`, containerPort: at + 1 }));
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: { containers: [{ ports }] }, status };
  const named = many(count, (at) => ({ name: `p${at}`, port: at + 1, targetPort: `p${at}` }));
  const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, spec: { ports: named } };
  subsetsOf(service as KubeObject, backendsOf(many(20, () => pod as KubeObject)));
}

/** Each pod has the same ports, of which a slice has as many as the Service. */
function listPorts(ports: number, pods: number): void {
  const status = { phase: 'Running', podIP: '10.0.0.1' };
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: {}, status };
  const spec = { ports: many(ports, (at) => ({ name: `p${at}`, port: at + 1 })) };
  const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, spec } as KubeObject;
  const backends = backendsOf(many(pods, () => pod as KubeObject));
  subsetsOf(service, backends);
  slicesOf(service, backends);
}

/** Each pod has a number of its own for the one name that all ports of the Service lead to, and each slice as many ports as the Service. */
function listOwnPorts(ports: number, pods: number): void {
  const pod = (containerPort: number): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'a' },
    spec: { containers: [{ ports: [{ name: 'a', containerPort }] }] },
    status: { phase: 'Running', podIP: '10.0.0.1' },
  });
  const spec = { ports: many(ports, (at) => ({ name: `p${at}`, port: at + 1, targetPort: 'a' })) };
  const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, spec } as KubeObject;
  const backends = backendsOf(many(pods, pod));
  slicesOf(service, backends);
  subsetsOf(service, backends);
}

function printColumn(jsonPath: string, list: readonly JsonObject[]): void {
  const object = { apiVersion: 'example.com/v1', kind: 'A', metadata: { name: 'a' }, spec: { list: [...list] } };
  for (const { cell } of columnsOfPrinterColumns(many(100, (at) => ({ name: `${at}`, type: 'string', jsonPath })))) {
    cell(object as KubeObject, 0);
  }
}

/** A webhook refuses an object of a release. */
function refuseWith(message: string): void {
  const refusal = new KubeRejection({ status: 500, reason: 'InternalError', message, causes: [], isStatus: true });
  withoutUndeclaredField({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }, refusal);
}

const digits = '[0,1,2,3,4,5,6,7,8,9]';
const longRule = `${digits}.all(a,${digits}.all(b,${digits}.all(c,${digits}.all(d,semver_compare('1.0.0','2.0.0')<0))))`;

/** A bundle whose rules take long: all of them are true of it. */
function bundleWithRules(name: string): Participant {
  const list = many(64, () => ({ type: 'olm.constraint', value: { cel: { rule: `!(${longRule})` } } }));
  return { name, properties: [], dependencies: readDependencies('dependencies', list).dependencies };
}

function askAboutRules(): void {
  const [subject, ...others] = many(60, (at) => bundleWithRules(`bundle-${at}`));
  if (subject === undefined) return;
  unmetOf(subject, { active: others, pending: [], servesApi: () => true });
  unmetOf(subject, { active: [], pending: others, servesApi: () => true });
  usersOf({ name: subject.name, next: undefined }, { active: [subject, ...others], servesApi: () => true });
}

export const costlyTexts: Readonly<Record<string, () => unknown>> = {
  'members in the refusal of an object of a release': () => refuseWith('.a'.repeat(length / 2)),
  'brackets in the refusal of an object of a release': () =>
    refuseWith(`${'[]'.repeat(length / 2)}a: field not declared in schema`),
  'brackets in the name of a field that is reported': () => parseField('['.repeat(length)),
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
  'a directory of a repository that leads upwards': () => leavesRoot('../'.repeat(length)),
  'a directory of a repository that leads up and down': () => leavesRoot('a/a/../'.repeat(length)),
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
  'thousands of rules held against thousands': () =>
    new HeldRules(
      many(300_000, (at) => ({ verbs: ['get'], apiGroups: [`g${at}`], resources: ['a'], resourceNames: [`n${at}`] })),
    ).missing(
      many(90_000, (at) => ({ verbs: ['get'], apiGroups: [`x${at}`], resources: ['a'], resourceNames: [`n${at}`] })),
    ),
  'rules that multiply to millions, and what they do not hold': () =>
    new HeldRules(many(100, (at) => multiplied(100, `a${at % 2}-`))).missing([
      multiplied(46, 'a0-'),
      multiplied(46, 'b'),
    ]),
  'thousands of questions to rules that multiply': () => {
    const held = new HeldRules(many(5, () => multiplied(4_000, 'a')));
    for (let at = 0; at < 5_000; at += 1) held.missing([multiplied(20, `b${at}-`)]);
  },
  'thousands of values that a definition allows': () => {
    const values = many(300_000, (at) => `value-${at}`);
    enumValues.find({ enum: values.toReversed() }, { enum: values });
  },
  'thousands of finalizers that are applied again': () => applyFinalizers(300_000),
  'thousands of values in the selector of a budget': () =>
    selectPods([{ key: 'app', operator: 'NotIn', values: many(90_000, (at) => `v${at}`) }]),
  'thousands of labels in the selector of a budget': () =>
    selectPods(many(90_000, (at) => ({ key: `k${at}`, operator: 'DoesNotExist' }))),
  'thousands of named ports of a Service and its pods': () => findNamedPorts(15_000),
  'thousands of ports of a Service with thousands of pods': () => listPorts(15_000, 10_000),
  'thousands of ports of a Service with thousands of pods that name them differently': () =>
    listOwnPorts(10_000, 10_000),
  'revisions of commas in a ReplicaSet': () => catchUpWith(','.repeat(250_000)),
  'an Accept header of stars': () => parseAccept(`${'*,'.repeat(length / 8)}${'a,'.repeat(length / 8)}`),
  'columns of dots': () =>
    printColumn(
      `.spec${'.'.repeat(4000)}a`,
      many(9000, () => ({})),
    ),
  'columns of names': () =>
    printColumn(
      `.spec.list[*][${`'a',`.repeat(1000)}'a']`,
      many(30_000, () => ({ a: 1 })),
    ),
  'columns of filters that are long': () =>
    printColumn(
      `.spec.list[?(@${'.*'.repeat(1800)}=="x")]`,
      many(2000, () => ({ a: {}, b: {}, c: {} })),
    ),
  'rules of what bundles need': () => askAboutRules(),
  'a field path of brackets in a pod': () =>
    fieldReferenceErrors({ apiVersion: 'v1', fieldPath: `a${"['".repeat(length / 2)}]` }, 'fieldRef', []),
};
