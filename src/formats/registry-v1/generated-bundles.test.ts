/** @module-tag long */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type AnyOperator, anyOperator, corruptedOperator } from '../../../test/support/any-operator.ts';
import { registryFiles } from '../../../test/support/index.ts';
import {
  formatYaml,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listAt,
  objectAt,
  objectsAt,
  parseYamlDocuments,
  TerminalError,
  textAt,
} from '../../base/index.ts';
import { type AmendmentChoice, amendments } from './amendments/index.ts';
import { certificateProviderNames, findCertificateProvider } from './certificates.ts';
import { findInstallProblems } from './install-checks.ts';
import { readRegistryBundle } from './read.ts';
import type { RegistryBundle, RenderedObject } from './registry-bundle.ts';
import { type RenderOptions, renderBundle } from './render.ts';

const installNamespace = 'install';
/** A fixed seed: the defects that it found are fixed, and a run for new ones uses another. */
const runs = (numRuns: number): { numRuns: number; seed: number } => ({ numRuns, seed: 20_261_121 });

const requests = fc.record({
  targetNamespaces: fc.constantFrom(
    [],
    [''],
    [installNamespace],
    ['shop'],
    ['shop', 'bank'],
    ['shop', 'shop'],
    [installNamespace, 'shop'],
    ['', 'shop'],
  ),
  provider: fc.constantFrom('none', ...certificateProviderNames),
  isConfigured: fc.boolean(),
});

interface RequestedRendering {
  readonly targetNamespaces: readonly string[];
  readonly provider: string;
  readonly isConfigured: boolean;
}

const deploymentConfig = {
  volumes: [{ name: 'mine', emptyDir: {} }],
  volumeMounts: [{ name: 'mine', mountPath: '/data' }],
  env: [{ name: 'A', value: 'mine' }],
};

function optionsOf({ targetNamespaces, provider, isConfigured }: RequestedRendering): RenderOptions {
  const certificates = findCertificateProvider(provider);
  const chosen = { installNamespace, targetNamespaces, ...(isConfigured ? { deploymentConfig } : {}) };
  return { ...chosen, ...(certificates === undefined ? {} : { certificates }) };
}

function read({ packageName, manifests }: AnyOperator): RegistryBundle {
  const annotations = { 'operators.operatorframework.io.bundle.package.v1': packageName };
  return readRegistryBundle(registryFiles(manifests, { 'annotations.yaml': { annotations } }));
}

interface Outcome {
  /** Undefined when it is refused. */
  readonly objects?: readonly RenderedObject[];
  readonly refusal?: string;
}

/** What becomes of it; anything but a refusal in words fails the test. */
function outcome(work: () => readonly RenderedObject[]): Outcome {
  try {
    return { objects: work() };
  } catch (thrown) {
    if (thrown instanceof TerminalError && thrown.message !== '') return { refusal: thrown.message };
    throw thrown;
  }
}

const sortedTexts = (objects: readonly RenderedObject[]): string[] => objects.map((one) => JSON.stringify(one)).sort();
const sortedLines = (text: string | undefined): string[] | undefined => text?.split('\n').sort();

const clusterKinds = new Set([
  'APIService',
  'ClusterRole',
  'ClusterRoleBinding',
  'ConsoleLink',
  'CustomResourceDefinition',
  'MutatingWebhookConfiguration',
  'PriorityClass',
  'ValidatingWebhookConfiguration',
]);
const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

function isGoodName({ kind, metadata: { name = '' } }: RenderedObject): boolean {
  if (kind.includes('Role')) return name !== '' && name !== '.' && name !== '..' && !/[/%]/.test(name);
  if (kind === 'Service') return name.length <= 63 && label.test(name);
  return name.length <= 253 && name.split('.').every((part) => label.test(part));
}

function identity({ apiVersion, kind, metadata }: RenderedObject): string {
  return `${apiVersion} ${kind} ${metadata.namespace ?? ''} ${metadata.name ?? ''}`;
}

function assertPlaced(object: RenderedObject, namespaces: ReadonlySet<string>): void {
  expect(object.apiVersion).toMatch(/^([a-z0-9.-]+\/)?v\d+((alpha|beta)\d+)?$/);
  expect([identity(object), isGoodName(object)]).toEqual([identity(object), true]);
  if (clusterKinds.has(object.kind)) expect(object.metadata.namespace).toBeUndefined();
  else expect(namespaces).toContain(object.metadata.namespace);
}

function assertRunnable(deployment: RenderedObject, accounts: ReadonlySet<string>): void {
  const template = objectAt(deployment, 'spec', 'template');
  const labels = objectAt(template, 'metadata', 'labels');
  for (const [key, value] of Object.entries(objectAt(deployment, 'spec', 'selector', 'matchLabels') ?? {})) {
    expect(labels).toHaveProperty([key], value);
  }
  const podSpec = objectAt(template, 'spec');
  expect(accounts).toContain(textAt(podSpec, 'serviceAccountName'));
  const volumes = objectsAt(podSpec, 'volumes').map(({ name }) => name);
  expect(new Set(volumes).size).toBe(volumes.length);
  const containers = ['containers', 'initContainers'].flatMap((key) => objectsAt(podSpec, key));
  for (const mount of containers.flatMap((one) => objectsAt(one, 'volumeMounts')))
    expect(volumes).toContain(mount['name']);
}

/** The subject of a binding exists, or belongs to another owner by the author's declaration. */
function assertBound(
  binding: RenderedObject,
  known: { accounts: ReadonlySet<string>; identities: ReadonlySet<string> },
): void {
  for (const subject of objectsAt(binding, 'subjects')) {
    const isOwn = subject['kind'] === 'ServiceAccount' && subject['namespace'] === installNamespace;
    if (subject['kind'] === 'ServiceAccount') expect(textAt(subject, 'namespace')).not.toBe('');
    if (isOwn && textAt(subject, 'name') !== 'manager') expect(known.accounts).toContain(subject['name']);
  }
  const role = objectAt(binding, 'roleRef') ?? {};
  if (/^(view|system:auth-delegator|extension-apiserver-authentication-reader)$/.test(textAt(role, 'name'))) return;
  const namespace = role['kind'] === 'Role' ? (binding.metadata.namespace ?? '') : '';
  const expected = `rbac.authorization.k8s.io/v1 ${textAt(role, 'kind')} ${namespace} ${textAt(role, 'name')}`;
  expect(known.identities).toContain(expected);
}

/** Services that webhooks, conversions and APIServices are called by. */
function calledServices(object: RenderedObject): readonly JsonObject[] {
  const holders: readonly (JsonObject | undefined)[] = [
    ...listAt(object, 'webhooks').map((one) => (isJsonObject(one) ? objectAt(one, 'clientConfig') : undefined)),
    objectAt(object, 'spec', 'conversion', 'webhook', 'clientConfig'),
    object.kind === 'APIService' ? objectAt(object, 'spec') : undefined,
  ];
  return holders.map((holder) => objectAt(holder, 'service')).filter((service) => service !== undefined);
}

function assertServed(object: RenderedObject, objects: readonly RenderedObject[]): void {
  for (const service of calledServices(object)) {
    const found = objects.find(({ kind, metadata }) => kind === 'Service' && metadata.name === service['name']);
    const ports = objectsAt(objectAt(found, 'spec'), 'ports').map(({ port }) => port);
    expect(ports).toContain(service['port']);
    expect(new Set(ports).size).toBe(ports.length);
  }
}

function assertGood(objects: readonly RenderedObject[], { targetNamespaces = [] }: RenderOptions): void {
  const identities = objects.map(identity);
  expect(identities.filter((one, index) => identities.indexOf(one) !== index)).toEqual([]);
  const namespaces = new Set([installNamespace, 'kube-system', ...targetNamespaces]);
  const made = objects.filter(({ kind }) => kind === 'ServiceAccount').map(({ metadata }) => metadata.name ?? '');
  const accounts = new Set([...made, 'default', '']);
  for (const object of objects) {
    assertPlaced(object, namespaces);
    assertServed(object, objects);
    if (object.kind === 'Deployment') assertRunnable(object, accounts);
    if (object.kind.endsWith('Binding')) assertBound(object, { accounts, identities: new Set(identities) });
  }
}

test('an operator is refused in words or rendered so that every part is legal and has what it names', () => {
  let renderings = 0;
  let refusals = 0;
  fc.assert(
    fc.property(anyOperator, requests, (operator, request) => {
      const chosen = optionsOf(request);
      const bundle = read(operator);
      const before = JSON.stringify(bundle);
      const { objects } = outcome(() => renderBundle(bundle, chosen));
      expect(JSON.stringify(bundle)).toBe(before);
      if (objects === undefined) {
        refusals++;
        return;
      }
      renderings++;
      assertGood(objects, chosen);
      const again = outcome(() => renderBundle(read(operator), chosen));
      expect(JSON.stringify(again.objects)).toBe(JSON.stringify(objects));
    }),
    runs(1500),
  );
  expect(renderings).toBeGreaterThan(200);
  expect(refusals).toBeGreaterThan(100);
});

test('what is rendered reads back as it is, from YAML and from JSON', () => {
  fc.assert(
    fc.property(anyOperator, requests, (operator, request) => {
      const chosen = optionsOf(request);
      const { objects = [] } = outcome(() => renderBundle(read(operator), chosen));
      const plain = JSON.parse(JSON.stringify(objects)) as JsonValue[];
      const text = objects.map((object) => `---\n${formatYaml(object)}`).join('');
      expect(objects.length === 0 ? [] : parseYamlDocuments('objects', text)).toEqual(plain);
      expect(objects).toEqual(plain);
    }),
    runs(300),
  );
});

test('neither the order of files nor how they are written changes what is rendered', () => {
  const shuffled = anyOperator.chain((operator) =>
    fc.record({
      operator: fc.constant(operator),
      manifests: fc.shuffledSubarray([...operator.manifests], { minLength: operator.manifests.length }),
    }),
  );
  fc.assert(
    fc.property(shuffled, requests, ({ operator, manifests }, request) => {
      // Of two objects of one identity the last one in the order of files is chosen.
      const chosen: RenderOptions = { ...optionsOf(request), amendments: { without: ['last-of-identity'] } };
      const first = outcome(() => renderBundle(read(operator), chosen));
      const second = outcome(() => renderBundle(read({ ...operator, manifests }), chosen));
      expect(sortedLines(second.refusal)).toEqual(sortedLines(first.refusal));
      expect(sortedTexts(second.objects ?? [])).toEqual(sortedTexts(first.objects ?? []));
      const yaml = registryFiles(operator.manifests.map((manifest) => formatYaml(manifest)));
      const annotated = {
        ...yaml,
        metadata: registryFiles([], {
          'annotations.yaml': {
            annotations: { 'operators.operatorframework.io.bundle.package.v1': operator.packageName },
          },
        }).metadata,
      };
      const third = outcome(() => renderBundle(readRegistryBundle(annotated), chosen));
      expect(JSON.stringify(third)).toBe(JSON.stringify(first));
    }),
    runs(300),
  );
});

test('every difference from the reference is that of a named amendment', () => {
  const names = amendments.map(({ name }) => name);
  const differing = new Set<string>();
  fc.assert(
    fc.property(anyOperator, requests, (operator, request) => {
      const chosen = optionsOf(request);
      const bundle = read(operator);
      // What no cluster accepts is refused, unless exactly the rendering of the reference is asked for.
      if (findInstallProblems(bundle).length > 0) return;
      const render = (choice: AmendmentChoice): string =>
        JSON.stringify(outcome(() => renderBundle(bundle, { ...chosen, amendments: choice })));
      const base = render('none');
      const effective = names.filter((name) => render({ without: names.filter((other) => other !== name) }) !== base);
      for (const name of effective) differing.add(name);
      expect(render({ without: effective })).toBe(base);
      if (effective.length === 0) expect(render('all')).toBe(base);
    }),
    runs(200),
  );
  expect(differing.size).toBeGreaterThan(8);
});

test('invalid input is refused with a message, or rendered, and nothing else', () => {
  let refusals = 0;
  fc.assert(
    fc.property(corruptedOperator, requests, (operator, request) => {
      const chosen = optionsOf(request);
      const first = outcome(() => renderBundle(read(operator), chosen));
      if (first.refusal !== undefined) refusals++;
      expect(JSON.stringify(outcome(() => renderBundle(read(operator), chosen)))).toBe(JSON.stringify(first));
    }),
    runs(2000),
  );
  expect(refusals).toBeGreaterThan(200);
});
