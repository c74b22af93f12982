import { olmLabelPrefixes } from '../api/index.ts';
import { listedPackage, listedProperties } from './listed-properties.ts';

const maxCharacters = 63;

/** Key of the label on all objects that belong to a package in a namespace.
 *  @see docs/spec/olm-v0.md#operator */
export function componentLabel(packageName: string, namespace: string): string {
  const name = `${packageName}.${namespace}`.slice(0, maxCharacters).replace(/[-._]+$/, '');
  return `${olmLabelPrefixes.component}${name}`;
}

interface Labelled {
  readonly metadata: {
    readonly namespace?: string | undefined;
    readonly labels?: Readonly<Record<string, string>> | undefined;
    readonly annotations?: Readonly<Record<string, string>> | undefined;
  };
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
