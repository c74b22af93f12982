import { olmLabelPrefixes } from '../api/index.ts';
import { listedPackage, listedProperties } from './listed-properties.ts';

const maxCharacters = 63;
/** From this length on the namespace may be cut off. */
const minCutCharacters = 50;
/** Component labels of one object that count. */
const maxKeys = 10;

/** Name of the Operator of a package in a namespace, which is the end of its label key: at most 63 characters, without trailing punctuation.
 *  @see docs/spec/olm-v0.md#operator */
export function operatorName(packageName: string, namespace: string): string {
  return `${packageName}.${namespace}`.slice(0, maxCharacters).replace(/[-._]+$/, '');
}

/** Label key of the components of an Operator. */
export function componentKey(operator: string): string {
  return `${olmLabelPrefixes.component}${operator}`;
}

/** Key of the label on all objects that belong to a package in a namespace.
 *  @see docs/spec/olm-v0.md#operator */
export function componentLabel(packageName: string, namespace: string): string {
  return componentKey(operatorName(packageName, namespace));
}

interface Labelled {
  readonly metadata: {
    readonly namespace?: string | undefined;
    readonly labels?: Readonly<Record<string, string>> | undefined;
    readonly annotations?: Readonly<Record<string, string>> | undefined;
  };
}

/** Whether an object in `namespace` may be a component: the name of an Operator ends with the namespace of its Subscription, unless that is cut off.
 *  Otherwise a tenant could create Operators for namespaces of others. Objects in no namespace may be components of all. */
function isPossible(operator: string, namespace: string): boolean {
  return namespace === '' || operator.endsWith(`.${namespace}`) || operator.length >= minCutCharacters;
}

/** Names of the Operators that an object is a component of, by its labels; of very many the first in the order of their names. */
export function operatorsOf({ metadata }: Labelled): readonly string[] {
  const { namespace = '', labels = {} } = metadata;
  const keys = Object.keys(labels).filter((key) => key.startsWith(olmLabelPrefixes.component));
  const names = keys.map((key) => key.slice(olmLabelPrefixes.component.length)).filter((name) => name !== '');
  return names
    .filter((name) => isPossible(name, namespace))
    .toSorted()
    .slice(0, maxKeys);
}

/** The labels that what an operator owns gets from its ClusterServiceVersion: with them from the start, nothing has to be labelled later. */
export function componentLabelsOf(csv: Labelled): Readonly<Record<string, string>> {
  return Object.fromEntries(operatorsOf(csv).map((operator) => [componentKey(operator), '']));
}

/** Labels of packages that an object loses when one operator takes it over from another: those of the other, but for that of the package that both are of.
 *  With them it would stay a component of the package whose operator is deleted. */
export function abandonedComponentLabels(predecessor: Labelled, successor: Labelled): readonly string[] {
  const { namespace = '', labels = {} } = successor.metadata;
  const packageName = listedPackage(listedProperties(successor) ?? []);
  const own = packageName === undefined ? undefined : componentLabel(packageName, namespace);
  const isComponentLabel = (key: string): boolean => key.startsWith(olmLabelPrefixes.component);
  return Object.keys(predecessor.metadata.labels ?? {}).filter(
    (key) => isComponentLabel(key) && key !== own && labels[key] === undefined,
  );
}
