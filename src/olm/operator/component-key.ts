import { olmLabelPrefixes } from '../../api/index.ts';

const maxNameLength = 63;
/** From this length on the namespace may be cut off. */
const minCutLength = 50;
/** Component labels of one object that count. */
const maxKeys = 10;

/** Name of the Operator of a package in a namespace, which is the end of its label key: at most 63 characters, without trailing punctuation.
 *  @see docs/spec/olm-v0.md#operator */
export function operatorName(packageName: string, namespace: string): string {
  return `${packageName}.${namespace}`.slice(0, maxNameLength).replace(/[._-]+$/, '');
}

/** Label key of the components of an Operator. */
export function componentKey(operator: string): string {
  return `${olmLabelPrefixes.component}${operator}`;
}

/** Whether an object in `namespace` may be a component: the name of an Operator ends with the namespace of its Subscription, unless that is cut off.
 *  Otherwise a tenant could create Operators for namespaces of others. Objects in no namespace may be components of all. */
function isPossible(operator: string, namespace: string): boolean {
  return namespace === '' || operator.endsWith(`.${namespace}`) || operator.length >= minCutLength;
}

/** Names of the Operators that an object is a component of, by its labels; of very many the first in the order of their names. */
export function operatorsOf({
  metadata,
}: {
  readonly metadata: { readonly namespace?: string; readonly labels?: Readonly<Record<string, string>> };
}): readonly string[] {
  const { namespace = '', labels = {} } = metadata;
  const keys = Object.keys(labels).filter((key) => key.startsWith(olmLabelPrefixes.component));
  const names = keys.map((key) => key.slice(olmLabelPrefixes.component.length)).filter((name) => name !== '');
  return names
    .filter((name) => isPossible(name, namespace))
    .toSorted()
    .slice(0, maxKeys);
}
