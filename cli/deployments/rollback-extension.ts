import { clusterExtensionResource } from '../../src/api/index.ts';
import { isJsonEqual, type JsonObject } from '../../src/base/index.ts';
import { revisionsOf } from '../../src/installations/index.ts';
import type { KubeClient } from '../../src/kube/index.ts';
import { deploymentOfExtension } from '../client/index.ts';
import type { OptionValues } from '../command/index.ts';
import { createProgress } from '../output/index.ts';
import type { rollbackOptions, timeoutOption } from './options.ts';
import { chooseRevision } from './rollback.ts';
import { extensionOutcome } from './run/outcome.ts';
import { whenInstalled } from './run/wait.ts';

/** Pins a ClusterExtension to the version of an earlier revision, whatever updates its catalogs provide.
 *  @throws TerminalError NoRollback, ExtensionNotInstalled */
export async function rollbackExtension(
  kube: KubeClient,
  values: OptionValues<typeof rollbackOptions & typeof timeoutOption>,
  name: string,
): Promise<number> {
  const deployment = await deploymentOfExtension(kube, name);
  const revisions = revisionsOf(deployment);
  const isInstalled = isJsonEqual(revisions.at(-1)?.spec ?? null, (deployment['spec'] ?? {}) as JsonObject);
  const revision = chooseRevision(revisions, {
    number: values.to,
    isInstalled,
    title: `clusterextension "${name}"`,
  });
  const { version } = revision;
  const catalog = { version, upgradeConstraintPolicy: 'SelfCertified' };
  const ref = { ...clusterExtensionResource, name };
  const written = await kube.patch(ref, { spec: { source: { catalog } } }, { fieldManager: 'longshore' });
  if (values.wait) {
    using progress = createProgress(process.stderr, { isQuiet: false });
    await whenInstalled({ kube, timeoutMs: values.timeout, progress }, written, (object, generation) =>
      extensionOutcome(object, generation, version),
    );
  }
  const what = values.wait ? 'rolled back' : 'is being rolled back';
  const title = `clusterextension.olm.operatorframework.io "${name}"`;
  process.stdout.write(`${title} ${what} to version ${version}, which it is pinned to now\n`);
  return 0;
}
