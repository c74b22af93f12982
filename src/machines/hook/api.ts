import type { JsonObject } from '../../base/index.ts';
import { isAlreadyExists, isBudgetRefusal, isNotFound, type KubeClient, type KubeObject } from '../../kube/index.ts';
import type { ApiObject, ApiRef, HookApi } from './definition.ts';

const asApi = (object: KubeObject): ApiObject => object as unknown as ApiObject;

async function absentIfMissing<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (thrown) {
    if (isNotFound(thrown)) return undefined;
    throw thrown;
  }
}

/** The API that hooks work with. */
export function hookApi(kube: KubeClient, fieldManager: string, signal: AbortSignal): HookApi {
  const options = { fieldManager, signal };
  const get = async (ref: ApiRef): Promise<ApiObject | undefined> => {
    const found = await absentIfMissing(kube.get(ref, { signal }));
    return found && asApi(found);
  };
  return {
    get,
    list: async (target) => (await kube.list(target, { signal })).items.map(asApi),
    create: async (object) => {
      try {
        return asApi(await kube.create(object as unknown as KubeObject, options));
      } catch (thrown) {
        const { apiVersion, kind, metadata } = object;
        const { name, namespace } = metadata;
        if (!isAlreadyExists(thrown) || name === undefined) throw thrown;
        const found = await get({ apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) });
        if (found === undefined) throw thrown;
        return found;
      }
    },
    patch: async (ref, patch) => asApi(await kube.patch(ref, patch as JsonObject, options)),
    delete: async (ref) => {
      await absentIfMissing(kube.delete(ref, { signal }));
    },
    evict: async (pod) => {
      try {
        await absentIfMissing(kube.evict(pod, { signal }));
        return true;
      } catch (thrown) {
        if (isBudgetRefusal(thrown)) return false;
        throw thrown;
      }
    },
  };
}
