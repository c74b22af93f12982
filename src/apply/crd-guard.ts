import { deleteCrdsAnnotation } from '../api/index.ts';
import { isJsonObject } from '../base/index.ts';
import {
  describeRef,
  isConditionTrue,
  isKubeError,
  isNotFound,
  type KubeClient,
  type KubeObject,
  NoKindMatch,
  refOf,
} from '../kube/index.ts';
import type { KindRef } from './kind-list.ts';
import { belongsTo, type Owner } from './ownership.ts';
import { kindsOfCrd } from './plan.ts';

const maxNamed = 10;
/** Further pages are not counted once something was found. */
const maxPages = 20;

/** The version in which objects are stored first: most of them need not be converted to be read in it. */
function servedKinds(crd: KubeObject): readonly KindRef[] {
  const spec = isJsonObject(crd['spec']) ? crd['spec'] : {};
  const versions = Array.isArray(spec['versions']) ? spec['versions'].filter(isJsonObject) : [];
  const served = versions.filter((version) => version['served'] !== false);
  const storedFirst = served.toSorted((a, b) => Number(b['storage'] === true) - Number(a['storage'] === true));
  return kindsOfCrd({ ...crd, spec: { ...spec, versions: storedFirst } });
}

function isConvertedByWebhook(crd: KubeObject): boolean {
  const spec = isJsonObject(crd['spec']) ? crd['spec'] : {};
  return isJsonObject(spec['conversion']) && spec['conversion']['strategy'] === 'Webhook';
}

interface Found {
  readonly names: readonly string[];
  readonly count: number;
  readonly isAll: boolean;
}

async function foreignObjects(
  kube: KubeClient,
  kind: KindRef,
  search: { readonly owner: Owner; readonly signal: AbortSignal },
): Promise<Found> {
  const { owner, signal } = search;
  const names: string[] = [];
  let count = 0;
  let pages = 0;
  for await (const { items } of kube.listPages({ ...kind, isMetadataOnly: true }, { signal })) {
    const foreign = items.filter(({ metadata }) => !belongsTo(metadata, owner.name));
    count += foreign.length;
    names.push(...foreign.slice(0, maxNamed - names.length).map((object) => describeRef(refOf(object))));
    pages++;
    if (count > 0 && pages >= maxPages) return { names, count, isAll: false };
  }
  return { names, count, isAll: true };
}

/** The first of them that the API server serves. */
async function firstServed(
  kube: KubeClient,
  kinds: readonly KindRef[],
  signal: AbortSignal,
): Promise<KindRef | undefined> {
  for (const kind of kinds) {
    try {
      await kube.resolve(kind.apiVersion, kind.kind, { signal });
      return kind;
    } catch (thrown) {
      if (!(thrown instanceof NoKindMatch)) throw thrown;
    }
  }
  return undefined;
}

function foundText({ names, count, isAll }: Found): string {
  const more = count > names.length ? `, and ${isAll ? '' : 'at least '}${count - names.length} more` : '';
  const objects = count === 1 ? '1 object' : `${isAll ? '' : 'at least '}${count} objects`;
  const verb = count === 1 ? 'exists' : 'exist';
  return `${objects} of it ${verb} that the bundle does not contain (${names.join(', ')}${more})`;
}

/** Why objects that are not the owner's may exist. One that was never established has none. */
async function whyNotEmpty(
  kube: KubeClient,
  crd: KubeObject,
  search: { readonly owner: Owner; readonly signal: AbortSignal },
): Promise<string | undefined> {
  const kinds = servedKinds(crd);
  if (kinds.length === 0) return 'none of its versions is served, so its objects cannot be listed';
  const kind = await firstServed(kube, kinds, search.signal);
  return kind === undefined ? whyNotShown(crd) : await whyNotEmptyAs(kube, { crd, kind }, search);
}

function whyNotShown(crd: KubeObject): string | undefined {
  if (!isConditionTrue(crd, 'Established')) return undefined;
  return 'the API server shows none of its versions, as where an APIService has taken their place, so its objects cannot be listed';
}

async function whyNotEmptyAs(
  kube: KubeClient,
  { crd, kind }: { readonly crd: KubeObject; readonly kind: KindRef },
  search: { readonly owner: Owner; readonly signal: AbortSignal },
): Promise<string | undefined> {
  try {
    const found = await foreignObjects(kube, kind, search);
    return found.count === 0 ? undefined : foundText(found);
  } catch (thrown) {
    // What is served may be remembered from before.
    if (isNotFound(thrown)) return whyNotShown(crd);
    const isOfWebhook = isKubeError(thrown) && thrown.failure.status === 500 && isConvertedByWebhook(crd);
    if (!isOfWebhook) throw thrown;
    return `its objects cannot be read because their conversion webhook fails (${thrown.message})`;
  }
}

/** Why the CustomResourceDefinition `name`, installed for `owner`, must be retained: objects of it exist that were not
 *  installed for `owner`, and they would be deleted with it. Undefined when there are none. */
export async function whyRetainCrd(
  kube: KubeClient,
  name: string,
  search: { readonly owner: Owner; readonly signal: AbortSignal },
): Promise<string | undefined> {
  const { owner, signal } = search;
  const ref = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name };
  try {
    const crd = await kube.get(ref, { signal });
    const why = await whyNotEmpty(kube, crd, { owner, signal });
    const advice = `Delete it when they are no longer needed; with the annotation ${deleteCrdsAnnotation}: "true" on the BundleDeployment, it is deleted together with them`;
    return why === undefined ? undefined : `${describeRef(ref)} is retained: ${why}. ${advice}`;
  } catch (thrown) {
    if (isNotFound(thrown)) return undefined;
    throw thrown;
  }
}
