import { olmLabelPrefixes } from '../api/index.ts';

const maxCharacters = 63;

/** Key of the label on all objects that belong to a package in a namespace.
 *  @see docs/spec/olm-v0.md#operator */
export function componentLabel(packageName: string, namespace: string): string {
  const name = `${packageName}.${namespace}`.slice(0, maxCharacters).replace(/[-._]+$/, '');
  return `${olmLabelPrefixes.component}${name}`;
}
