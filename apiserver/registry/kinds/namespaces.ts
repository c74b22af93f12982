import type { KindRules } from '../kind-rules.ts';
import type { KubeObject } from '../kube-object.ts';
import { dns1123LabelProblems } from '../names.ts';
import { asJson, ensureObject, listAt, objectAt, textAt } from './reading.ts';

/** The label by which selectors find a namespace; always the name. */
function forceNameLabel(object: KubeObject): void {
  const { name } = object.metadata;
  if (name !== undefined) object.metadata.labels = { ...object.metadata.labels, 'kubernetes.io/metadata.name': name };
}

/** Namespaces: `spec.finalizers` keeps a deleted one until its contents are gone; only `/finalize` changes it. */
export const namespaceRules: KindRules = {
  applyDefaults: forceNameLabel,
  prepareForCreate: (object) => {
    const spec = ensureObject(asJson(object), 'spec');
    if (!listAt(spec, 'finalizers').includes('kubernetes'))
      spec['finalizers'] = [...listAt(spec, 'finalizers'), 'kubernetes'];
    asJson(object)['status'] = { phase: 'Active' };
    forceNameLabel(object);
  },
  prepareForUpdate: (object, old) => {
    const finalizers = listAt(objectAt(asJson(old), 'spec'), 'finalizers');
    const spec = ensureObject(asJson(object), 'spec');
    if (finalizers.length > 0) spec['finalizers'] = [...finalizers];
    else delete spec['finalizers'];
  },
  nameProblems: dns1123LabelProblems,
  selectableFields: { 'status.phase': (object) => textAt(objectAt(asJson(object), 'status'), 'phase') },
};
