import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { defaultContentLimits, TerminalError, withDeadline } from '../../src/base/index.ts';
import { packDirectory } from '../../src/content/index.ts';
import type { KubeClient, KubeObject } from '../../src/kube/index.ts';
import { type ContentClient, createContentClient } from '../content-client.ts';
import type { OptionValues } from '../options.ts';
import { createTerminal } from '../terminal.ts';

const deadlineMs = 10 * 60_000;
const bundleDeadlineMs = 60_000;
const pollMs = 100;
const apiVersion = 'core.rukpak.io/v1alpha1';
/** As many hexadecimal digits of the digest as fit well into a label. */
const labelDigits = 32;

function deploymentOf(values: OptionValues, name: string, labels: Readonly<Record<string, string>>): KubeObject {
  const template = {
    metadata: { labels },
    spec: { provisionerClassName: values['bundle-provisioner-class'], source: { type: 'upload', upload: {} } },
  };
  const spec = { provisionerClassName: values['bundle-deployment-provisioner-class'], template };
  return { apiVersion, kind: 'BundleDeployment', metadata: { name }, spec } as unknown as KubeObject;
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

async function upload(client: ContentClient, bundle: string, path: string): Promise<string> {
  const url = `${await client.address()}/uploads/${bundle}.tgz`;
  const response = await client.open({ url, uploadPath: path, signal: AbortSignal.timeout(deadlineMs) });
  const text = Buffer.concat(await response.toArray())
    .toString()
    .trim();
  if (response.statusCode === 201) return `successfully uploaded bundle content for "${bundle}"`;
  if (response.statusCode === 204) return `bundle "${bundle}" is already up-to-date`;
  throw new TerminalError('UploadFailed', `PUT ${url}: status ${response.statusCode}: ${text.slice(0, 500)}`);
}

/** `longshore run NAME DIR` */
export async function run(values: OptionValues, [name = '', folder = '']: readonly string[]): Promise<number> {
  const terminal = createTerminal(process.stdout);
  await using stack = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), 'longshore-run-'));
  stack.defer(() => rm(dir, { recursive: true, force: true }));
  const path = join(dir, 'bundle.tgz');
  const signal = AbortSignal.timeout(deadlineMs);
  const digest = await packDirectory(folder, path, { limits: defaultContentLimits, signal });
  const client = stack.use(await createContentClient(values));
  await client.address();
  const bundleDigest = digest.slice('sha256:'.length).slice(0, labelDigits);
  const labels = { app: name, bundleDigest };
  await client.kube.apply(deploymentOf(values, name, labels), { fieldManager: 'rukpakctl', force: true });
  terminal.line(`bundledeployment.core.rukpak.io "${name}" applied`);
  terminal.line(await upload(client, await bundleFor(client.kube, labels), path));
  return 0;
}
