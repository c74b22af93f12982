import { bundleDeploymentResource } from '../../src/api/index.ts';
import { labelledOwner, takeoverProblem } from '../../src/apply/index.ts';
import { mapLimit, objectAt, TerminalError, textAt } from '../../src/base/index.ts';
import { findObject, type KubeClient, type KubeObject, NoKindMatch, refOf } from '../../src/kube/index.ts';

/** The BundleDeployment that objects are to belong to. */
export interface Adoption {
  readonly name: string;
  readonly systemNamespace: string;
}

const readsAtATime = 8;
const maxShown = 10;

async function deploymentNamed(kube: KubeClient, name: string): Promise<KubeObject | undefined> {
  const { apiVersion, kind } = bundleDeploymentResource;
  return await findObject(kube, { apiVersion, kind, name });
}

/** With its next version everything would be deleted that the manifests do not have.
 *  @throws TerminalError NameTaken */
async function assertNoOther(kube: KubeClient, name: string): Promise<void> {
  const live = await deploymentNamed(kube, name);
  if (live === undefined) return;
  const source = objectAt(live as unknown as Parameters<typeof objectAt>[0], 'spec', 'template', 'spec', 'source');
  if (textAt(source, 'type') === 'upload') return;
  const text = `bundledeployment "${name}" exists, and was not made by alpha bootstrap: its objects would be deleted. Choose another name; nothing was changed`;
  throw new TerminalError('NameTaken', text);
}

/** The object at the place of one of the manifests; undefined where there is none, or its kind is not served yet. */
async function liveAt(kube: KubeClient, object: KubeObject, systemNamespace: string): Promise<KubeObject | undefined> {
  try {
    const { isNamespaced } = await kube.resolve(object.apiVersion, object.kind);
    const { namespace: _given, ...ref } = refOf(object);
    const place = isNamespaced ? { namespace: object.metadata.namespace ?? systemNamespace } : {};
    const live = await findObject(kube, { ...ref, ...place });
    return live && { ...live, apiVersion: object.apiVersion, kind: object.kind };
  } catch (thrown) {
    if (thrown instanceof NoKindMatch) return undefined;
    throw thrown;
  }
}

async function problemOf(kube: KubeClient, object: KubeObject, { name, systemNamespace }: Adoption) {
  const live = await liveAt(kube, object, systemNamespace);
  if (live === undefined) return [];
  const other = labelledOwner(live.metadata);
  const isOtherThere = other !== undefined && other !== name && (await deploymentNamed(kube, other)) !== undefined;
  const terms = { systemNamespace, isUpgrade: false, mayAdopt: true, isOtherThere };
  return takeoverProblem(live, { name, uid: '' }, terms) ?? [];
}

/** Before anything is written: an object that gets the marks of a deployment is taken from the owner that it has.
 *  @throws TerminalError NameTaken, ObjectTaken */
export async function assertAdoptable(
  kube: KubeClient,
  objects: readonly KubeObject[],
  adoption: Adoption,
): Promise<void> {
  await assertNoOther(kube, adoption.name);
  const problems = (await mapLimit(objects, readsAtATime, (object) => problemOf(kube, object, adoption))).flat();
  if (problems.length === 0) return;
  const more = problems.length > maxShown ? [`and ${problems.length - maxShown} more`] : [];
  const text = [...problems.slice(0, maxShown), ...more].join('\n');
  throw new TerminalError('ObjectTaken', `${text}\nNothing was changed`);
}
