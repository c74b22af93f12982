import { listAt, listOfTexts, objectAt, textAt } from '../../../src/base/index.ts';
import {
  dns1123LabelProblems,
  type FieldError,
  invalidField,
  qualifiedNameProblems,
} from '../../../src/schema/index.ts';
import {
  asJson,
  ensureObject,
  type KindRules,
  type KubeObject,
  type SubresourceRules,
  specOf,
} from '../../core/index.ts';
import { invalids } from './checks.ts';

/** The label by which selectors find a namespace; always the name. */
function forceNameLabel(object: KubeObject): void {
  const { name } = object.metadata;
  if (name !== undefined) object.metadata.labels = { ...object.metadata.labels, 'kubernetes.io/metadata.name': name };
}

/** Finalizers without a domain are those of the server itself. */
function finalizerErrors(object: KubeObject, isOwn = false): FieldError[] {
  return listOfTexts(specOf(object), 'finalizers').flatMap((name, index) => {
    const field = isOwn ? `spec.finalizers[${index}]` : 'spec.finalizers';
    const errors = invalids(field, name, qualifiedNameProblems(name));
    if (name.includes('/') || ['kubernetes', 'orphan', 'foregroundDeletion'].includes(name)) return errors;
    const why = 'name is neither a standard finalizer name nor is it fully qualified';
    return [...errors, invalidField(field, name, why)];
  });
}

/** A namespace is finalised by taking names out of `spec.finalizers`; nothing else changes. */
function keepAllButFinalizers(object: KubeObject, old: KubeObject): void {
  const finalizers = listAt(objectAt(asJson(object), 'spec'), 'finalizers');
  const { finalizers: _old, ...spec } = objectAt(asJson(old), 'spec') ?? {};
  Object.assign(object, structuredClone({ ...old, metadata: object.metadata }), {
    spec: { ...structuredClone(spec), ...(finalizers.length === 0 ? {} : { finalizers }) },
  });
}

const finalize: SubresourceRules = {
  prepare: keepAllButFinalizers,
  validate: (object) => finalizerErrors(object, true),
};

function phaseErrors(object: KubeObject): FieldError[] {
  const isLeaving = object.metadata.deletionTimestamp !== undefined;
  const [expected, phase] = [isLeaving ? 'Terminating' : 'Active', textAt(objectAt(asJson(object), 'status'), 'phase')];
  const when = isLeaving ? 'is not empty' : 'is empty';
  if (phase === expected) return [];
  return [invalidField('status.Phase', phase, `may only be '${expected}' if \`deletionTimestamp\` ${when}`)];
}

/** Namespaces: `spec.finalizers` keeps a deleted one until its contents are deleted; only `/finalize` changes it. */
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
  validate: (object) => finalizerErrors(object),
  subresources: new Map([['finalize', finalize]]),
  validateChange: () => [],
  validateStatus: phaseErrors,
  nameProblems: dns1123LabelProblems,
  selectableFields: { 'status.phase': (object) => textAt(objectAt(asJson(object), 'status'), 'phase') },
};
