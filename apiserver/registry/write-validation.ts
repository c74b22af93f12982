import { type FieldError, invalid } from '../http/status-error.ts';
import type { KubeObject } from './kube-object.ts';
import type { ResourceType } from './resource-type.ts';
import type { WriteContext, WriteTarget } from './write-context.ts';

/** Metadata and strategy rules of a new object; warnings go to the context.
 *  @throws StatusError 422 with every violation */
export function checkObject(type: ResourceType, object: KubeObject, context: WriteContext): void {
  const { name } = object.metadata;
  const errors: FieldError[] = [];
  if (name === undefined) {
    const message = 'Required value: name or generateName is required';
    errors.push({ field: 'metadata.name', reason: 'FieldValueRequired', message });
  } else {
    for (const problem of type.strategy.nameProblems(name)) {
      const message = `Invalid value: ${JSON.stringify(name)}: ${problem}`;
      errors.push({ field: 'metadata.name', reason: 'FieldValueInvalid', message });
    }
  }
  errors.push(...type.strategy.validate(object, undefined, undefined));
  if (errors.length > 0) throw invalid(type, name ?? '', errors);
  for (const text of type.strategy.warnings(object, undefined)) context.warn(text);
}

/** The same for a changed object. */
export function checkObjectUpdate(
  change: { readonly target: WriteTarget; readonly object: KubeObject; readonly old: KubeObject },
  context: WriteContext,
): void {
  const { target, object, old } = change;
  const errors = target.type.strategy.validate(object, old, target.subresource);
  if (errors.length > 0) throw invalid(target.type, object.metadata.name ?? '', errors);
  for (const text of target.type.strategy.warnings(object, old)) context.warn(text);
}
