import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { bundleDeploymentResource, ownerKindLabel, ownerNameLabel } from '../../../src/api/index.ts';
import { fieldManager, installBatches } from '../../../src/apply/index.ts';
import { errorMessage, type JsonObject, TerminalError } from '../../../src/base/index.ts';
import { maxManifestFileBytes, readManifestFile } from '../../../src/formats/index.ts';
import {
  describeRef,
  isNotFound,
  type KubeClient,
  type KubeObject,
  NoKindMatch,
  refOf,
} from '../../../src/kube/index.ts';
import { createContentClient } from '../../client/index.ts';
import type { clusterOptions, OptionValues } from '../../command/index.ts';
import { type Adoption, assertAdoptable } from '../adoptable.ts';
import { deployFolder } from '../upload-deployment.ts';

type Values = OptionValues<typeof clusterOptions>;

/** How long a kind or a namespace that an earlier object brings may take to be there. */
const settleMs = 30_000;
const pollMs = 200;

async function readInput(): Promise<Buffer> {
  if (process.stdin.isTTY) {
    throw new TerminalError('InvalidOption', 'alpha bootstrap: manifests are expected on standard input: "< FILE"');
  }
  const pieces: Buffer[] = [];
  let sizeBytes = 0;
  for await (const piece of process.stdin as AsyncIterable<Buffer>) {
    sizeBytes += piece.length;
    if (sizeBytes > maxManifestFileBytes) {
      const text = `standard input: more than the limit of ${maxManifestFileBytes} bytes`;
      throw new TerminalError('InputTooLarge', text);
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** The object with the marks by which a deployment of that name may take it over. */
function stamped(object: KubeObject, { name, systemNamespace }: Adoption, isNamespaced: boolean): KubeObject {
  const { namespace, ...metadata } = object.metadata;
  const labels = {
    ...metadata.labels,
    'app.kubernetes.io/managed-by': 'Helm',
    [ownerKindLabel]: bundleDeploymentResource.kind,
    [ownerNameLabel]: name,
  };
  const annotations = {
    ...metadata.annotations,
    'meta.helm.sh/release-name': name,
    'meta.helm.sh/release-namespace': systemNamespace,
  };
  const place = isNamespaced ? { namespace: namespace ?? systemNamespace } : {};
  const { status: _status, ...content } = object;
  return { ...content, metadata: { ...metadata, ...place, labels, annotations } } as KubeObject;
}

/** Applies one object as the provisioner would, so that nothing stays behind that only this program owns. */
async function adopt(kube: KubeClient, object: KubeObject, adoption: Adoption): Promise<void> {
  const untilMs = performance.now() + settleMs;
  for (;;) {
    try {
      kube.forgetKinds(object.apiVersion);
      const { isNamespaced } = await kube.resolve(object.apiVersion, object.kind);
      await kube.apply(stamped(object, adoption, isNamespaced), { fieldManager, force: true });
      return;
    } catch (thrown) {
      const mayCome = thrown instanceof NoKindMatch || isNotFound(thrown);
      if (!mayCome || performance.now() > untilMs) {
        const text = `${describeRef(refOf(object))}: ${errorMessage(thrown)}`;
        throw new TerminalError('BootstrapFailed', text, { cause: thrown });
      }
      await pause(pollMs);
    }
  }
}

/** `longshore alpha bootstrap NAME`: what is on the cluster already, or comes with the manifests, becomes the content of a BundleDeployment. */
export async function bootstrap(values: Values, [name]: readonly [string]): Promise<number> {
  await using stack = new AsyncDisposableStack();
  const text = await readInput();
  const objects: KubeObject[] = [];
  const take = (object: JsonObject): unknown => objects.push(object as unknown as KubeObject);
  readManifestFile('standard input', text, { take });
  if (objects.length === 0) throw new TerminalError('InvalidBundle', 'standard input: found zero objects');
  const client = stack.use(await createContentClient(values));
  await client.address();
  const adoption = { name, systemNamespace: values['system-namespace'] };
  await assertAdoptable(client.kube, objects, adoption);
  for (const batch of installBatches(objects)) for (const object of batch) await adopt(client.kube, object, adoption);
  const folder = await mkdtemp(join(tmpdir(), 'longshore-bootstrap-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'manifests'));
  await writeFile(join(folder, 'manifests', 'manifest.yaml'), text);
  const { isNew } = await deployFolder(client, { name, folder });
  process.stdout.write(
    isNew
      ? `successfully bootstrapped bundle deployment "${name}"\n`
      : `bundle deployment "${name}" is already up-to-date\n`,
  );
  return 0;
}
