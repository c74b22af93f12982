import { setTimeout as pause } from 'node:timers/promises';
import { type JsonObject, objectAt, objectsAt, TerminalError, textAt, valueAt } from '../../src/base/index.ts';
import { type KubeClient, type KubeObject, refOf } from '../../src/kube/index.ts';
import { confirm } from '../output/index.ts';
import { listIfServed } from './deletion.ts';
import { findOlmDeployments, globalNamespaceOf, runsPods } from './olm.ts';

const olm = 'operators.coreos.com/v1alpha1';
const rbac = 'rbac.authorization.k8s.io/v1';
const pollMs = 300;

/** How another installation of OLM is replaced. */
export interface TakeOverOptions {
  readonly kube: KubeClient;
  readonly isDryRun: boolean;
  /** No question is asked. */
  readonly isConfirmed: boolean;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly print: (line: string) => void;
}

function place({ metadata }: KubeObject): string {
  return `${metadata.namespace}/${metadata.name}`;
}

async function countOperators(kube: KubeClient): Promise<number> {
  const target = { apiVersion: olm, kind: 'ClusterServiceVersion', labelSelector: '!olm.copiedFrom' };
  return (await listIfServed(kube, target)).length;
}

async function untilStopped(deployments: readonly KubeObject[], options: TakeOverOptions): Promise<void> {
  const untilMs = performance.now() + options.timeoutMs;
  for (const deployment of deployments) {
    for (;;) {
      const live = (await options.kube.get(refOf(deployment), { signal: options.signal })) as JsonObject;
      const [spec, status] = [objectAt(live, 'spec'), objectAt(live, 'status')];
      if (valueAt(spec, 'replicas') !== 0) {
        const text = `Deployment ${place(deployment)} was scaled up again by another program: OLM is part of a platform that keeps it running, and cannot be replaced here. Nothing was installed`;
        throw new TerminalError('OlmRestarted', text);
      }
      if ((valueAt(status, 'replicas') ?? 0) === 0) break;
      if (performance.now() > untilMs) {
        const text = `Deployment ${place(deployment)} still has Pods after ${options.timeoutMs / 1000} s. Nothing was installed; run the command again to wait`;
        throw new TerminalError('OlmNotStopped', text);
      }
      await pause(pollMs, undefined, { signal: options.signal });
    }
  }
}

/** The namespace whose catalogs another installation shows in all others; undefined where it is the usual one, or there is no other. */
export async function globalNamespaceOfOther(kube: KubeClient, signal: AbortSignal): Promise<string | undefined> {
  const found = await findOlmDeployments(kube, signal);
  return found.map(globalNamespaceOf).find((namespace) => namespace !== undefined);
}

async function ask(kube: KubeClient, running: readonly KubeObject[]): Promise<void> {
  const names = running.map(place).join(', ');
  await confirm({
    about: `Deployment ${names} will be scaled to 0. Its ${await countOperators(kube)} operators go on, and are Longshore's from then on.\n`,
    text: 'Take over from Operator Lifecycle Manager?',
    unasked: `--take-over would scale Deployment ${names} to 0, and there is no terminal to ask on: confirm with --yes. Nothing was changed`,
  });
}

/** Scales the Deployments of another installation to 0, after a question, and waits until their Pods have ended. What it has installed is not touched.
 *  @throws TerminalError NotConfirmed, OlmNotStopped, OlmRestarted */
export async function stopOtherOlm(options: TakeOverOptions): Promise<void> {
  const { kube, isDryRun, isConfirmed, signal, print } = options;
  const running = (await findOlmDeployments(kube, signal)).filter(runsPods);
  if (running.length === 0) return;
  if (!isDryRun && !isConfirmed) await ask(kube, running);
  for (const deployment of running) {
    const { uid = '', name } = deployment.metadata;
    const patch = { metadata: { uid }, spec: { replicas: 0 } };
    if (!isDryRun) await kube.patch(refOf(deployment), patch, { fieldManager: 'longshore', signal });
    print(`deployment.apps/${name} scaled to 0${isDryRun ? ' (dry run)' : ''}`);
  }
  if (!isDryRun) await untilStopped(running, options);
}

interface Account {
  readonly namespace: string;
  readonly name: string;
}

function accountsOf(deployments: readonly KubeObject[]): readonly Account[] {
  const accounts = deployments.map((deployment) => {
    const pod = objectAt(deployment as JsonObject, 'spec', 'template', 'spec');
    return { namespace: deployment.metadata.namespace ?? '', name: textAt(pod, 'serviceAccountName') };
  });
  const distinct = new Map(accounts.map((account) => [`${account.namespace}/${account.name}`, account]));
  return [...distinct.values()].filter(({ name }) => name !== '' && name !== 'default');
}

function isFor(binding: KubeObject, { namespace, name }: Account): boolean {
  return objectsAt(binding as JsonObject, 'subjects').some(
    (subject) => textAt(subject, 'namespace') === namespace && textAt(subject, 'name') === name,
  );
}

async function accountCommands(kube: KubeClient, deployments: readonly KubeObject[]): Promise<readonly string[]> {
  const accounts = accountsOf(deployments);
  if (accounts.length === 0) return [];
  const bindings = await listIfServed(kube, { apiVersion: rbac, kind: 'ClusterRoleBinding' });
  // Bindings with owner labels belong to an operator that uses the account.
  const own = bindings.filter(
    (binding) =>
      binding.metadata.labels?.['olm.owner'] === undefined && accounts.some((account) => isFor(binding, account)),
  );
  const roles = own.map((binding) => textAt(objectAt(binding as JsonObject, 'roleRef'), 'name'));
  const named = roles.filter((name) => name.startsWith('system:controller:operator-lifecycle-manager'));
  return [
    ...own.map(({ metadata }) => `kubectl delete clusterrolebinding ${metadata.name}`),
    ...new Set(named.map((name) => `kubectl delete clusterrole ${name}`)),
    ...accounts.map(({ namespace, name }) => `kubectl delete serviceaccount ${name} -n ${namespace}`),
  ];
}

type Target = Parameters<typeof listIfServed>[1];

async function namespacesWith(kube: KubeClient, labelSelector: string, targets: readonly Target[]) {
  const found = new Set<string>();
  for (const target of targets) {
    const selected = { ...target, labelSelector };
    for (const { metadata } of await listIfServed(kube, selected)) found.add(metadata.namespace ?? '');
  }
  return [...found].toSorted();
}

const packageServer = 'packageserver';

async function packageServersIn(kube: KubeClient, namespaces: readonly string[]): Promise<readonly string[]> {
  const versions = await listIfServed(kube, { apiVersion: olm, kind: 'ClusterServiceVersion' });
  const left = versions.filter(({ metadata }) => metadata.name === packageServer);
  return left.map(({ metadata }) => metadata.namespace ?? '').filter((namespace) => namespaces.includes(namespace));
}

/** The commands that delete what another installation has left and nothing uses any more, in their order. Nothing is deleted here. */
export async function leftOfOtherOlm(kube: KubeClient, signal: AbortSignal): Promise<readonly string[]> {
  const deployments = await findOlmDeployments(kube, signal);
  const namespaces = [...new Set(deployments.map(({ metadata }) => metadata.namespace ?? ''))];
  const packages = await packageServersIn(kube, namespaces);
  const registries = await namespacesWith(kube, 'olm.catalogSource', [{ apiVersion: 'v1', kind: 'Pod' }]);
  const unpacked = await namespacesWith(kube, 'operatorframework.io/bundle-unpack-ref', [
    { apiVersion: 'batch/v1', kind: 'Job' },
    { apiVersion: 'v1', kind: 'ConfigMap' },
  ]);
  return [
    ...packages.map((namespace) => `kubectl delete csv ${packageServer} -n ${namespace}`),
    ...deployments.map(({ metadata }) => `kubectl delete deployment ${metadata.name} -n ${metadata.namespace}`),
    ...(await accountCommands(kube, deployments)),
    ...registries.map(
      (namespace) =>
        `kubectl delete pods,services,networkpolicies,serviceaccounts -n ${namespace} -l olm.catalogSource`,
    ),
    ...unpacked.map(
      (namespace) =>
        `kubectl delete jobs,configmaps,roles,rolebindings -n ${namespace} -l operatorframework.io/bundle-unpack-ref`,
    ),
  ];
}
