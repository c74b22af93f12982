import { type JsonObject, listOfTexts, objectAt, objectsAt, TerminalError } from '../../src/base/index.ts';
import type { KubeClient, KubeObject } from '../../src/kube/index.ts';
import { readDeployFile, readOlmCrds } from '../client/index.ts';
import { withContainers } from './containers.ts';
import { labelled } from './manifests.ts';

/** Has the controllers reconcile the kinds of Operator Lifecycle Manager. */
export const olmArgument = '--olm';
const coreName = 'core';
/** Deployments of another installation. */
const programs = ['olm-operator', 'catalog-operator'];

/** Whether a Deployment of the controllers has the argument. */
export function hasOlm(deployment: KubeObject): boolean {
  const pod = objectAt(deployment as unknown as JsonObject, 'spec', 'template', 'spec');
  return objectsAt(pod, 'containers').some((container) => listOfTexts(container, 'args').includes(olmArgument));
}

/** Names the namespace of global catalogs, where it is not the usual one. */
export const olmNamespaceArgument = '--olm-namespace=';
const usualNamespace = 'olm';

/** The namespace of global catalogs that a Deployment of the controllers names. */
export function olmNamespaceOf(deployment: KubeObject): string | undefined {
  const pod = objectAt(deployment as unknown as JsonObject, 'spec', 'template', 'spec');
  const args = objectsAt(pod, 'containers').flatMap((container) => listOfTexts(container, 'args'));
  return args.find((arg) => arg.startsWith(olmNamespaceArgument))?.slice(olmNamespaceArgument.length);
}

function withArgument(object: KubeObject, namespace: string | undefined): KubeObject {
  if (object.metadata.name !== coreName) return object;
  const named = namespace === undefined || namespace === usualNamespace ? [] : [`${olmNamespaceArgument}${namespace}`];
  return withContainers(object, (container) => ({
    ...container,
    args: [...listOfTexts(container, 'args'), olmArgument, ...named],
  }));
}

/** On a Service: the service CA of OpenShift issues a certificate for its name, into the Secret of that name. */
const servingSecretAnnotation = 'service.beta.openshift.io/serving-cert-secret-name';
const packagesSecret = 'packages-cert';
const packagesVolume = 'packages-certificate';
const packagesDir = '/etc/pki/packages';

/** Whether certificates come from the service CA of OpenShift, which issues one for each Service. */
function isByServiceCa(objects: readonly KubeObject[]): boolean {
  const core = objects.find(({ kind, metadata }) => kind === 'Service' && metadata.name === coreName);
  return core?.metadata.annotations?.[servingSecretAnnotation] !== undefined;
}

/** The Deployment of the controllers with the certificate of the Service of the package server. */
function withPackagesCertificate(object: KubeObject): KubeObject {
  if (object.kind !== 'Deployment' || object.metadata.name !== coreName) return object;
  const spec = objectAt(object as unknown as JsonObject, 'spec') ?? {};
  const template = objectAt(spec, 'template') ?? {};
  const pod = objectAt(template, 'spec') ?? {};
  const sources = [
    { secret: { name: packagesSecret } },
    { configMap: { name: 'openshift-service-ca.crt', items: [{ key: 'service-ca.crt', path: 'ca.crt' }] } },
  ];
  const volumes = [...objectsAt(pod, 'volumes'), { name: packagesVolume, projected: { sources } }];
  const mounted = { ...object, spec: { ...spec, template: { ...template, spec: { ...pod, volumes } } } };
  return withContainers(mounted, (container) => ({
    ...container,
    args: [...listOfTexts(container, 'args'), `--packages-tls-dir=${packagesDir}`],
    volumeMounts: [
      ...objectsAt(container, 'volumeMounts'),
      { name: packagesVolume, mountPath: packagesDir, readOnly: true },
    ],
  }));
}

function withServingSecret(object: KubeObject): KubeObject {
  if (object.kind !== 'Service') return object;
  const annotations = { ...object.metadata.annotations, [servingSecretAnnotation]: packagesSecret };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

const packagesPort = 8445;

/** The package server is reached through the network policy of the controllers. */
function withPackagesPort(object: KubeObject): KubeObject {
  if (object.kind !== 'NetworkPolicy' || object.metadata.name !== coreName) return object;
  const spec = objectAt(object as unknown as JsonObject, 'spec') ?? {};
  const [first, ...others] = objectsAt(spec, 'ingress');
  const ports = [...objectsAt(first, 'ports'), { port: packagesPort }];
  return { ...object, spec: { ...spec, ingress: [{ ...first, ports }, ...others] } };
}

/** What the controllers need for it: permissions, and the Service of the package server. */
export async function olmServerObjects(): Promise<readonly KubeObject[]> {
  const files = ['olm/permissions.yaml', 'olm/packages.yaml'];
  return (await Promise.all(files.map(readDeployFile))).flat() as unknown as KubeObject[];
}

/** The manifests with Operator Lifecycle Manager: its definitions, namespaces, groups and roles, and the arguments of the controllers. Catalogs in
 *  `namespace` are visible in all others. */
export async function withOlm(objects: readonly KubeObject[], namespace?: string): Promise<readonly KubeObject[]> {
  const definitions = ((await readOlmCrds()) as unknown as KubeObject[]).map(labelled);
  const shipped = (await readDeployFile('olm/objects.yaml')) as unknown as KubeObject[];
  const changed = objects.map((object) => withPackagesPort(withArgument(object, namespace)));
  const own = await olmServerObjects();
  const isIssued = isByServiceCa(objects);
  return [
    ...(isIssued ? changed.map(withPackagesCertificate) : changed),
    ...definitions,
    ...shipped,
    ...(isIssued ? own.map(withServingSecret) : own),
  ];
}

/** Deployments with the names of another installation, whether they run or not. */
export async function findOlmDeployments(kube: KubeClient, signal: AbortSignal): Promise<readonly KubeObject[]> {
  const found: KubeObject[] = [];
  for (const name of programs) {
    const target = { apiVersion: 'apps/v1', kind: 'Deployment', fieldSelector: `metadata.name=${name}` };
    found.push(...(await kube.list(target, { signal })).items);
  }
  return found;
}

/** Whether a Deployment is to have Pods. */
export function runsPods(deployment: KubeObject): boolean {
  return objectAt(deployment as unknown as JsonObject, 'spec')?.['replicas'] !== 0;
}

/** The namespace whose catalogs the catalog operator shows in all others; undefined for the usual one, and for another program. */
export function globalNamespaceOf(deployment: KubeObject): string | undefined {
  if (deployment.metadata.name !== 'catalog-operator') return undefined;
  const pod = objectAt(deployment as unknown as JsonObject, 'spec', 'template', 'spec');
  const args = objectsAt(pod, 'containers').flatMap((container) => listOfTexts(container, 'args'));
  const index = args.findIndex((arg) => /^--?namespace(=|$)/.test(arg));
  const text = args[index]?.includes('=') === true ? args[index].replace(/^[^=]*=/, '') : args[index + 1];
  const isNamed = index >= 0 && text !== undefined && text !== '';
  const named = isNamed && !text.startsWith('$(') ? text : deployment.metadata.namespace;
  return named === usualNamespace ? undefined : named;
}

/** Deployments of another installation that runs, as `NAMESPACE/NAME`. */
export async function findOtherOlm(kube: KubeClient, signal: AbortSignal): Promise<readonly string[]> {
  const running = (await findOlmDeployments(kube, signal)).filter(runsPods);
  return running.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
}

/** Two installations would work against each other.
 *  @throws TerminalError OlmPresent, naming the Deployments of the other one */
export async function assertNoOtherOlm(kube: KubeClient, signal: AbortSignal): Promise<void> {
  const found = await findOtherOlm(kube, signal);
  if (found.length === 0) return;
  const text = `Operator Lifecycle Manager runs on this cluster (Deployment ${found.join(', ')}): two of them would work against each other. Take over what it has installed with "longshore install --olm --take-over" (docs/migrate-from-olm.md), or install without --olm; nothing was changed`;
  throw new TerminalError('OlmPresent', text);
}
