import { certificateExpiryMs, errorMessage, type JsonObject, splitCertificates } from '../../src/base/index.ts';
import { isKubeError, isNotFound, type KubeObject } from '../../src/kube/index.ts';
import { webhookConfigurations } from '../../webhook/index.ts';
import { isOurs } from '../install/index.ts';
import { objectsAt, textAt } from './fields.ts';
import { type Check, type Finding, fail, ok, type Patient, unchecked, warn } from './finding.ts';

/** Denied by its own rule, whatever the cluster is like. */
const badBundle: KubeObject = {
  apiVersion: 'core.rukpak.io/v1alpha1',
  kind: 'Bundle',
  metadata: { name: 'longshore-doctor' },
  spec: {
    provisionerClassName: 'core-rukpak-io-plain',
    source: {
      type: 'git',
      git: { repository: 'https://example.com/x', ref: { branch: 'main' }, directory: '../x' },
    },
  },
};
const reapply = 'restore it: longshore install, or apply the manifests again';
const rewrite =
  'check that longshore webhook runs: it writes caBundle; for other fields: longshore install, or apply the manifests again';

/** The authorities that the API server trusts, as PEM; empty when none are configured. */
export function caBundleOf(webhook: JsonObject): string {
  return Buffer.from(textAt(webhook, 'clientConfig', 'caBundle'), 'base64').toString('utf8');
}

function problemOf(webhook: JsonObject | undefined, nowMs: number): string | undefined {
  if (webhook === undefined) return 'not there';
  if (textAt(webhook, 'failurePolicy') !== 'Fail')
    return `failurePolicy is ${textAt(webhook, 'failurePolicy')}: objects that it cannot validate are admitted`;
  const authorities = splitCertificates(caBundleOf(webhook));
  if (authorities.length === 0) return 'caBundle is empty: the API server trusts no certificate of the webhook';
  if (authorities.every((pem) => certificateExpiryMs(pem) < nowMs)) return 'every certificate in caBundle has expired';
  return undefined;
}

/** The configurations as they are in the cluster, those that are missing left out. */
export async function readConfigurations({ kube, systemNamespace, signal }: Patient): Promise<readonly KubeObject[]> {
  const found: KubeObject[] = [];
  for (const { apiVersion, kind, metadata } of webhookConfigurations({ address: { origin: '' }, systemNamespace })) {
    try {
      found.push(await kube.get({ apiVersion, kind, name: metadata.name }, { signal }));
    } catch (thrown) {
      if (!isNotFound(thrown)) throw thrown;
    }
  }
  return found;
}

/** Whether another program installed the kind ClusterCatalog, or none did. */
async function areCatalogsOthers({ kube, signal }: Patient): Promise<boolean> {
  const name = 'clustercatalogs.olm.operatorframework.io';
  try {
    const ref = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name };
    return !isOurs(await kube.get(ref, { signal }));
  } catch (thrown) {
    if (isNotFound(thrown)) return true;
    throw thrown;
  }
}

async function examineConfigurations(patient: Patient): Promise<readonly Finding[]> {
  const { systemNamespace, nowMs } = patient;
  const live = await readConfigurations(patient);
  const areOthers = await areCatalogsOthers(patient);
  return webhookConfigurations({ address: { origin: '' }, systemNamespace }).flatMap(({ kind, metadata, webhooks }) => {
    const found = live.find((one) => one.metadata.name === metadata.name);
    const what = `${kind} ${metadata.name}`;
    if (found === undefined && areOthers && kind === 'MutatingWebhookConfiguration') {
      return [ok(`${what}: not found; another program reconciles ClusterCatalogs`)];
    }
    if (found === undefined) return [fail(`${what}: not found: objects are not validated at admission`, reapply)];
    const problems = webhooks.flatMap((expected): Finding[] => {
      const name = textAt(expected, 'name');
      const problem = problemOf(
        objectsAt(found, 'webhooks').find((one) => one['name'] === name),
        nowMs,
      );
      return problem === undefined ? [] : [fail(`${what}: webhook ${name}: ${problem}`, rewrite)];
    });
    return problems.length === 0 ? [ok(what)] : problems;
  });
}

/** The configurations exist, with a CA bundle. */
export const configurationCheck: Check = { name: 'webhook configurations', examine: examineConfigurations };

async function examineAnswer({ kube, systemNamespace, signal }: Patient): Promise<readonly Finding[]> {
  const what = 'an invalid Bundle';
  try {
    await kube.create(badBundle, { fieldManager: 'longshore-doctor', isDryRun: true, signal });
    return [fail(`${what} was not denied: the webhook is not called`, reapply)];
  } catch (thrown) {
    if (!isKubeError(thrown)) throw thrown;
    const message = errorMessage(thrown);
    if (message.includes('directory must define path')) return [ok(`${what} is denied, as expected`)];
    if (message.includes('failed calling webhook')) {
      return [
        fail(
          `the webhook does not answer: ${message}`,
          `see kubectl -n ${systemNamespace} get pods,endpointslices, and the logs of longshore webhook`,
        ),
      ];
    }
    if (thrown.failure.status === 403 && !message.includes('denied the request')) return [unchecked(what, thrown)];
    return [
      warn(
        `${what} was refused for another reason: ${message}`,
        'check for other webhooks and policies for Bundles on this cluster',
      ),
    ];
  }
}

/** Something wrong is denied, by a dry run. */
export const answerCheck: Check = { name: 'webhook', examine: examineAnswer };
