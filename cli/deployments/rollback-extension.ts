import { setTimeout as pause } from 'node:timers/promises';
import { clusterExtensionResource } from '../../src/api/index.ts';
import { isJsonEqual, type JsonObject, objectAt, TerminalError, textAt } from '../../src/base/index.ts';
import { revisionsOf } from '../../src/installations/index.ts';
import { conditionsOf, type KubeClient, type KubeObject } from '../../src/kube/index.ts';
import { deploymentOfExtension } from '../client/index.ts';
import type { OptionValues } from '../command/index.ts';
import type { rollbackOptions, timeoutOption } from './options.ts';
import { chooseRevision } from './rollback.ts';

const pollMs = 500;

function isSettled({ status }: KubeObject, version: string): boolean {
  const bundle = objectAt(status as JsonObject, 'install', 'bundle') ?? {};
  return textAt(bundle, 'version') === version;
}

async function wait(
  kube: KubeClient,
  { name, version }: { readonly name: string; readonly version: string },
  timeoutMs: number,
): Promise<void> {
  const startMs = performance.now();
  for (;;) {
    const found = await kube.get({ ...clusterExtensionResource, name });
    const progressing = conditionsOf(found).find(({ type }) => type === 'Progressing');
    if (isSettled(found, version) && progressing?.reason === 'Succeeded') return;
    if (performance.now() - startMs > timeoutMs) {
      const text = `clusterextension "${name}" is not at version ${version}: ${progressing?.message ?? 'no progress is reported'}`;
      throw new TerminalError('NotInstalled', text);
    }
    await pause(pollMs);
  }
}

/** Pins a ClusterExtension to the version of an earlier revision, whatever updates its catalogs provide.
 *  @throws TerminalError NoRollback, NotInstalled */
export async function rollbackExtension(
  kube: KubeClient,
  values: OptionValues<typeof rollbackOptions & typeof timeoutOption>,
  name: string,
): Promise<number> {
  const deployment = await deploymentOfExtension(kube, name);
  const revisions = revisionsOf(deployment);
  const isInstalled = isJsonEqual(revisions.at(-1)?.spec ?? null, (deployment['spec'] ?? {}) as JsonObject);
  const revision = chooseRevision(revisions, { number: values.to, isInstalled, name });
  const { version } = revision;
  const catalog = { version, upgradeConstraintPolicy: 'SelfCertified' };
  const ref = { ...clusterExtensionResource, name };
  await kube.patch(ref, { spec: { source: { catalog } } }, { fieldManager: 'longshore' });
  if (values.wait) await wait(kube, { name, version }, values.timeout);
  const what = values.wait ? 'rolled back' : 'is being rolled back';
  const title = `clusterextension.olm.operatorframework.io "${name}"`;
  process.stdout.write(`${title} ${what} to version ${version}, which it is pinned to now\n`);
  return 0;
}
