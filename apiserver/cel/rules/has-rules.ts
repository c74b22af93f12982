import { isJsonObject } from '../../../src/base/index.ts';

/** Whether there are `x-kubernetes-validations` anywhere in a schema. */
export function hasRulesAnywhere(root: object): boolean {
  const pending: unknown[] = [root];
  while (pending.length > 0) {
    const value = pending.pop();
    if (isJsonObject(value) && Object.hasOwn(value, 'x-kubernetes-validations')) return true;
    if (typeof value === 'object' && value !== null) for (const child of Object.values(value)) pending.push(child);
  }
  return false;
}
