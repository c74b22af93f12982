import { installPlanResource } from '../api/index.ts';
import { isJsonObject, type JsonObject, objectAt, objectsAt, textAt } from '../base/index.ts';
import type { KubeObject, ListTarget } from '../kube/index.ts';

function withoutManifest(step: JsonObject): JsonObject {
  const { manifest: _manifest, ...resource } = objectAt(step, 'resource') ?? {};
  return { ...step, resource };
}

/** Without the manifests of a plan that is complete: nothing reads them again, and five plans of each namespace have them. */
function slim(object: KubeObject): KubeObject {
  const { status } = object;
  if (!isJsonObject(status) || textAt(status, 'phase') !== 'Complete') return object;
  return { ...object, status: { ...status, plan: objectsAt(status, 'plan').map(withoutManifest) } };
}

/** InstallPlans as controllers cache them: all controllers that read them share one cache. */
export const installPlanTarget: ListTarget = {
  ...installPlanResource,
  projection: { name: 'installplan without applied manifests', of: slim },
};
