import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { apiVersion, parseBundle, plainProvisionerClass } from '../../src/api/index.ts';
import { defaultContentLimits, type JsonObject, TerminalError, withDeadline } from '../../src/base/index.ts';
import { packDirectory } from '../../src/content/index.ts';
import type { KubeClient, KubeObject } from '../../src/kube/index.ts';
import { type ContentClient, describeRefusal } from '../client/index.ts';
import { applyDeployment, type DeploymentSpec } from './run/apply.ts';

const deadlineMs = 10 * 60_000;
const bundleDeadlineMs = 60_000;
const pollMs = 100;
/** As many hexadecimal digits of the digest as fit well into a label. */
const labelDigits = 32;

/** A BundleDeployment of an upload. */
export interface UploadDeployment {
  readonly name: string;
  readonly deploymentClass?: string;
  readonly bundleClass?: string;
  readonly config?: JsonObject;
}

/** A bundle that was packed: a gzip tar and its digest, `sha256:<hex>`. */
export interface PackedBundle {
  readonly path: string;
  readonly digest: string;
}

export interface UploadEvents {
  /** The BundleDeployment was written. */
  readonly onApplied?: () => void;
  /** Bytes of the packed bundle that were sent. */
  readonly onSent?: (sentBytes: number, totalBytes: number) => void;
}

/** What an upload came to. */
export interface Uploaded {
  /** The BundleDeployment as it was written. */
  readonly deployment: KubeObject;
  readonly bundle: string;
  /** False when the very same content was there already. */
  readonly isNew: boolean;
}

interface RequestedBundle {
  readonly labels: Readonly<Record<string, string>>;
  readonly className: string;
  /** Of the BundleDeployment. */
  readonly ownerUid: string | undefined;
}

/** The same content with another class is another Bundle, and so is one that belongs to another owner. */
function isRequested(object: KubeObject, { className, ownerUid }: RequestedBundle): boolean {
  const { deletionTimestamp, ownerReferences = [] } = object.metadata;
  if (deletionTimestamp !== undefined || parseBundle(object).spec.provisionerClassName !== className) return false;
  return ownerReferences.some(({ uid, controller }) => controller === true && uid === ownerUid);
}

/** The Bundle that the provisioner made for the deployment.
 *  @throws TransientError DeadlineExceeded */
async function bundleFor(kube: KubeClient, desired: RequestedBundle): Promise<string> {
  const labelSelector = Object.entries(desired.labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
  const what = `waiting for the Bundle with the labels ${labelSelector}; is a provisioner running?`;
  return await withDeadline(what, { deadlineMs: bundleDeadlineMs }, async (signal) => {
    for (;;) {
      const { items } = await kube.list({ apiVersion, kind: 'Bundle', labelSelector }, { signal });
      const name = items.find((bundle) => isRequested(bundle, desired))?.metadata.name;
      if (name !== undefined) return name;
      await pause(pollMs, undefined, { signal });
    }
  });
}

async function upload(
  client: ContentClient,
  file: { readonly bundle: string; readonly path: string },
  onSent: UploadEvents['onSent'],
): Promise<boolean> {
  const url = `${await client.address()}/uploads/${file.bundle}.tgz`;
  const call = { url, uploadPath: file.path, onSent, signal: AbortSignal.timeout(deadlineMs) };
  const response = await client.open(call);
  const { statusCode } = response;
  if (statusCode !== 201 && statusCode !== 204) {
    throw new TerminalError('UploadFailed', await describeRefusal('PUT', url, response));
  }
  response.resume();
  return statusCode === 201;
}

function specOf(desired: UploadDeployment, labels: Readonly<Record<string, string>>): DeploymentSpec {
  const { name, config, bundleClass = plainProvisionerClass, deploymentClass = plainProvisionerClass } = desired;
  const source = { type: 'upload', upload: {} };
  return { name, config, bundleClass, deploymentClass, labels, source };
}

/** Applies a BundleDeployment with the source `upload`, waits for its Bundle and uploads the packed bundle for it.
 *  @throws TerminalError UploadFailed, NoContentServer · TransientError DeadlineExceeded */
export async function deployPacked(
  client: ContentClient,
  { packed, ...desired }: UploadDeployment & { readonly packed: PackedBundle },
  events: UploadEvents = {},
): Promise<Uploaded> {
  await client.address();
  const bundleDigest = packed.digest.slice('sha256:'.length).slice(0, labelDigits);
  const labels = { app: desired.name, bundleDigest };
  const spec = specOf(desired, labels);
  const deployment = await applyDeployment(client.kube, spec);
  events.onApplied?.();
  const found = { labels, className: spec.bundleClass, ownerUid: deployment.metadata.uid };
  const bundle = await bundleFor(client.kube, found);
  return { deployment, bundle, isNew: await upload(client, { bundle, path: packed.path }, events.onSent) };
}

/** The same with the files of a folder; nothing is made when the folder cannot be read.
 *  @throws also those of `packDirectory` */
export async function deployFolder(
  client: ContentClient,
  { folder, ...desired }: UploadDeployment & { readonly folder: string },
  events: UploadEvents = {},
): Promise<Uploaded> {
  await using stack = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), 'longshore-run-'));
  stack.defer(() => rm(dir, { recursive: true, force: true }));
  const path = join(dir, 'bundle.tgz');
  const signal = AbortSignal.timeout(deadlineMs);
  const digest = await packDirectory(folder, path, { limits: defaultContentLimits, signal });
  return await deployPacked(client, { ...desired, packed: { path, digest } }, events);
}
