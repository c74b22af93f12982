import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { apiVersion, plainProvisionerClass } from '../src/api/index.ts';
import { defaultContentLimits, TerminalError, withDeadline } from '../src/base/index.ts';
import { packDirectory } from '../src/content/index.ts';
import type { KubeClient, KubeObject } from '../src/kube/index.ts';
import { type ContentClient, describeRefusal } from './content-client.ts';

const deadlineMs = 10 * 60_000;
const bundleDeadlineMs = 60_000;
const pollMs = 100;
/** As many hexadecimal digits of the digest as fit well into a label. */
const labelDigits = 32;

/** A BundleDeployment that is to be made of a folder. */
export interface FolderDeployment {
  readonly name: string;
  readonly folder: string;
  readonly deploymentClass?: string;
  readonly bundleClass?: string;
}

export interface UploadEvents {
  /** The BundleDeployment was written. */
  readonly onApplied?: () => void;
  /** Bytes of the packed folder that were sent. */
  readonly onSent?: (sentBytes: number, totalBytes: number) => void;
}

function deploymentOf(wish: FolderDeployment, labels: Readonly<Record<string, string>>): KubeObject {
  const template = {
    metadata: { labels },
    spec: { provisionerClassName: wish.bundleClass ?? plainProvisionerClass, source: { type: 'upload', upload: {} } },
  };
  const spec = { provisionerClassName: wish.deploymentClass ?? plainProvisionerClass, template };
  return { apiVersion, kind: 'BundleDeployment', metadata: { name: wish.name }, spec } as unknown as KubeObject;
}

/** The Bundle that the provisioner made for the labels.
 *  @throws TransientError DeadlineExceeded */
async function bundleFor(kube: KubeClient, labels: Readonly<Record<string, string>>): Promise<string> {
  const labelSelector = Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
  const what = `waiting for the Bundle with the labels ${labelSelector}; is a provisioner running?`;
  return await withDeadline(what, { deadlineMs: bundleDeadlineMs }, async (signal) => {
    for (;;) {
      const { items } = await kube.list({ apiVersion, kind: 'Bundle', labelSelector }, { signal });
      const [first] = items;
      if (first?.metadata.name !== undefined) return first.metadata.name;
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

/** Applies a BundleDeployment with the source `upload`, waits for its Bundle and uploads the folder for it; nothing is made when the folder
 *  cannot be read. `isNew` is false when the very same content was there already.
 *  @throws TerminalError UploadFailed, NoContentServer, those of `packDirectory` · TransientError DeadlineExceeded */
export async function deployFolder(
  client: ContentClient,
  wish: FolderDeployment,
  events: UploadEvents = {},
): Promise<{ readonly bundle: string; readonly isNew: boolean }> {
  await using stack = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), 'longshore-run-'));
  stack.defer(() => rm(dir, { recursive: true, force: true }));
  const path = join(dir, 'bundle.tgz');
  const signal = AbortSignal.timeout(deadlineMs);
  const digest = await packDirectory(wish.folder, path, { limits: defaultContentLimits, signal });
  await client.address();
  const bundleDigest = digest.slice('sha256:'.length).slice(0, labelDigits);
  const labels = { app: wish.name, bundleDigest };
  await client.kube.apply(deploymentOf(wish, labels), { fieldManager: 'rukpakctl', force: true });
  events.onApplied?.();
  const bundle = await bundleFor(client.kube, labels);
  return { bundle, isNew: await upload(client, { bundle, path }, events.onSent) };
}
