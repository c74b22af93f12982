import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { isJsonObject, type JsonObject, objectAt, parseJson, textAt } from '../../base/index.ts';
import type { KubeClient, KubeObject } from '../../kube/index.ts';

const unzip = promisify(gunzip);
/** A Secret has at most a megabyte, in which texts such as those of charts are compressed to a tenth. */
const maxReleaseBytes = 16 * 1024 * 1024;
/** Templates and manifests of a release are texts: even large ones have few values. */
const maxReleaseValues = 50_000;
const releaseType = 'helm.sh/release.v1';

async function chartVersionOf(secret: JsonObject): Promise<string> {
  const data = textAt(objectAt(secret, 'data'), 'release');
  const encoded = Buffer.from(Buffer.from(data, 'base64').toString('latin1'), 'base64');
  try {
    const text = (await unzip(encoded, { maxOutputLength: maxReleaseBytes })).toString('utf8');
    const release = parseJson('release', text, { maxValues: maxReleaseValues });
    return isJsonObject(release) ? textAt(objectAt(release, 'chart', 'metadata'), 'version') : '';
  } catch {
    return '';
  }
}

function revisionOf({ metadata }: KubeObject): number {
  return Number(metadata.labels?.['version'] ?? 0);
}

function statusOf({ metadata }: KubeObject): string {
  return metadata.labels?.['status'] ?? '';
}

/** Whether Helm itself would read the Secret as a revision of the release: labels alone are on other objects too. */
function isRevision(secret: KubeObject, name: string): boolean {
  const isOfType = (secret as unknown as JsonObject)['type'] === releaseType;
  return isOfType && secret.metadata.name === `sh.helm.release.v1.${name}.v${revisionOf(secret)}`;
}

/** The newest revision of a release of Helm, from the Secrets that Helm records it in: its status, the version of its chart, and whether a
 *  revision is deployed. */
export async function readHelmRelease(
  kube: KubeClient,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  const labelSelector = `owner=helm,name=${name}`;
  const { items } = await kube.list({ apiVersion: 'v1', kind: 'Secret', namespace, labelSelector }, { signal });
  const revisions = items.filter((secret) => isRevision(secret, name));
  const newest = revisions.toSorted((a, b) => revisionOf(b) - revisionOf(a))[0];
  if (newest === undefined) return undefined;
  const status = statusOf(newest);
  // Until a revision replaces it, Helm keeps the one before as deployed: what an upgrade that failed has left runs.
  const isDeployed = revisions.some((secret) => statusOf(secret) === 'deployed');
  const { apiVersion, kind, metadata } = newest;
  const chartVersion = await chartVersionOf(newest as JsonObject);
  return { apiVersion, kind, metadata, status, isDeployed, chartVersion };
}
