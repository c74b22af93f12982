import { isJsonObject, type JsonObject, objectAt, objectsAt } from '../../../src/base/index.ts';
import { type FieldError, requiredField } from '../../../src/schema/index.ts';

/** A branch and the node it speaks about, each with its path. */
interface Pair {
  readonly branch: JsonObject;
  readonly node: JsonObject | undefined;
  readonly branchPath: string;
  readonly path: string;
}

function branchesOf(node: JsonObject, path: string): { readonly branch: JsonObject; readonly branchPath: string }[] {
  const not = objectAt(node, 'not');
  const listed = ['allOf', 'anyOf', 'oneOf'].flatMap((key) =>
    objectsAt(node, key).map((branch, index) => ({ branch, branchPath: `${path}.${key}[${index}]` })),
  );
  return not === undefined ? listed : [{ branch: not, branchPath: `${path}.not` }, ...listed];
}

function missingErrors({ branch, node, branchPath, path }: Pair): FieldError[] {
  if (node === undefined) return [requiredField(path, `because it is defined in ${branchPath}`)];
  const errors = branchesOf(branch, branchPath).flatMap((inner) => missingErrors({ ...inner, node, path }));
  const items = objectAt(branch, 'items');
  if (items !== undefined) {
    const pair = { branch: items, node: objectAt(node, 'items') };
    errors.push(...missingErrors({ ...pair, branchPath: `${branchPath}.items`, path: `${path}.items` }));
  }
  for (const [name, property] of Object.entries(objectAt(branch, 'properties') ?? {})) {
    if (!isJsonObject(property)) continue;
    const step = `.properties[${name}]`;
    const pair = { branch: property, node: objectAt(node, 'properties', name) };
    errors.push(...missingErrors({ ...pair, branchPath: branchPath + step, path: path + step }));
  }
  return errors;
}

/** What a branch at the root speaks of must be specified outside of branches as well. Deeper down kube-apiserver does not look. */
export function completenessErrors(root: JsonObject, path: string): FieldError[] {
  return branchesOf(root, path).flatMap((inner) => missingErrors({ ...inner, node: root, path }));
}
