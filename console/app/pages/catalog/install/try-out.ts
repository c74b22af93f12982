import { ApiError, objectPath, request } from '../../../lib/api.ts';
import { messageOf } from '../../../ui/action.tsx';
import type { FieldErrors } from '../../../ui/schema/schema.ts';
import type { Created } from './objects.ts';

/** What the API server answered without writing. */
export interface Trial {
  readonly isAccepted: boolean;
  /** Why not, in whole. */
  readonly message: string;
  /** By field of the form. */
  readonly errors: FieldErrors;
}

/** Fields of objects, and those of the form that they come from. */
const formFields: readonly (readonly [RegExp, string])[] = [
  [/^metadata\.name$/, 'name'],
  [/^spec\.namespace$/, 'namespace'],
  [/^spec\.serviceAccount/, 'account'],
  [/^spec\.source\.catalog\.version$/, 'version'],
  [/^spec\.source\.catalog\.channels/, 'channel'],
  [/^spec\.(config\.inline\.deploymentConfig|config)\.(.*)$/, 'config.$2'],
];

function formField(field: string): string | undefined {
  const found = formFields.find(([pattern]) => pattern.test(field));
  return found && field.replace(found[0], found[1]);
}

/** Errors of fields by the field of the form that `fieldOf` names for each. */
export function causesOf(thrown: unknown, fieldOf: (field: string) => string | undefined): FieldErrors {
  const causes = thrown instanceof ApiError ? thrown.causes : [];
  return new Map(
    causes.flatMap(({ field = '', message = '' }) => {
      const own = fieldOf(field.replaceAll(/\[(\d+)\]/g, '.$1'));
      return own === undefined ? [] : [[own, message] as const];
    }),
  );
}

/** Whether a namespace exists; unknown counts as existing, so that nothing is created that was not asked for. */
export async function hasNamespace(name: string, signal: AbortSignal): Promise<boolean> {
  try {
    await request(`/k8s/api/v1/namespaces/${name}`, { signal });
    return true;
  } catch (thrown) {
    return !(thrown instanceof ApiError && thrown.status === 404);
  }
}

/** Creates an object, or asks the API server whether it would take it. The answer is the object as it is stored. */
export async function create(
  { object, known, namespace }: Created,
  isTrial: boolean,
  signal?: AbortSignal,
): Promise<unknown> {
  const query = `fieldManager=longshore-console&fieldValidation=Strict${isTrial ? '&dryRun=All' : ''}`;
  return await request(`${objectPath(known, namespace)}?${query}`, {
    method: 'POST',
    body: object,
    ...(signal ? { signal } : {}),
  });
}

/** Creates nothing: asks the API server, admission included, whether it would take the objects. What is in a namespace that does not exist yet cannot be asked for. */
export async function tryObjects(objects: readonly Created[], signal: AbortSignal): Promise<Trial> {
  const isNew = objects[0]?.object.kind === 'Namespace';
  try {
    for (const created of objects) {
      if (!isNew || created.namespace === '') await create(created, true, signal);
    }
    return { isAccepted: true, message: '', errors: new Map() };
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    return { isAccepted: false, message: messageOf(thrown), errors: causesOf(thrown, formField) };
  }
}

/** Creates the objects one after the other.
 *  @throws ApiError */
export async function createObjects(objects: readonly Created[]): Promise<void> {
  for (const created of objects) await create(created, false);
}
