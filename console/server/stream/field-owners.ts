import { isJsonObject, type JsonObject, textAt } from '../../../src/base/index.ts';
import type { KubeObject } from '../../../src/kube/index.ts';
import type { FieldOwner } from '../wire.ts';

const maxOwners = 50;
const maxFields = 500;
const maxDepth = 64;
const maxStepLength = 120;

/** A step of a path as FieldsV1 has it: `f:` a member, `k:` an item by its keys, `v:` by its value, `i:` by its index. */
function stepText(step: string): string {
  const [form, rest] = [step.slice(0, 2), step.slice(2, 2 + maxStepLength)];
  if (form === 'f:') return /^[\w-]+$/.test(rest) ? `.${rest}` : `[${JSON.stringify(rest)}]`;
  if (form === 'k:') return `[${rest.replaceAll(/[{}"]/g, '').replaceAll(':', '=')}]`;
  return form === 'v:' ? `[=${rest}]` : `[${rest}]`;
}

function* pathsIn(fields: JsonObject, path: string, depth: number): Iterable<string> {
  const members = Object.entries(fields).filter(([step]) => step !== '.');
  if (members.length === 0 || depth >= maxDepth) {
    if (path !== '') yield path.replace(/^\./, '');
    return;
  }
  for (const [step, below] of members) {
    yield* pathsIn(isJsonObject(below) ? below : {}, `${path}${stepText(step)}`, depth + 1);
  }
}

/** Who has set which fields of an object, by its managedFields; the latest writer first. */
export function fieldOwners({ metadata }: KubeObject): readonly FieldOwner[] {
  const owners = (metadata.managedFields ?? []).slice(0, maxOwners).map((entry): FieldOwner => {
    const fields = entry['fieldsV1'];
    const found = new Set(isJsonObject(fields) ? pathsIn(fields, '', 0) : []);
    return {
      manager: textAt(entry, 'manager'),
      operation: textAt(entry, 'operation'),
      subresource: textAt(entry, 'subresource'),
      time: textAt(entry, 'time'),
      fields: [...found].toSorted().slice(0, maxFields),
      count: found.size,
    };
  });
  return owners.toSorted((a, b) => (a.time < b.time ? 1 : -1));
}
