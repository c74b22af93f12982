import { isJsonObject, textAt } from '../../base/index.ts';
import { type Property, parseTolerantVersion, type Version } from '../../constraints/index.ts';
import { type CatalogView, type Facts, factsOf, isMetBy, type PresentBundle } from '../../resolver/index.ts';
import { installedBy, type PlacedChoice } from './choice.ts';
import { readNoted } from './noted.ts';

/** What a choice depends on of a BundleDeployment of the cluster; plain data. */
export interface Standing {
  readonly name: string;
  /** The choice that it was created for; undefined: it has another owner. */
  readonly choice: PlacedChoice | undefined;
  /** The recorded properties of its Bundle, as they are written; empty where there are none. */
  readonly noted: string;
  /** The package that it was created for, from its label. */
  readonly packageName: string | undefined;
  /** A PlatformOperator requests it; otherwise it is only a dependency. */
  readonly isRequested: boolean;
  readonly hasNeverSucceeded: boolean;
  /** Definitions of APIs are among what it has installed. */
  readonly hasDefinitions: boolean;
  readonly isBeingDeleted: boolean;
}

function tryVersion(text: string): Version | undefined {
  try {
    return parseTolerantVersion(text);
  } catch {
    return undefined;
  }
}

function propertiesOf(choice: PlacedChoice, catalogs: readonly CatalogView[]): readonly Property[] | undefined {
  const { package: packageName, bundle, catalog } = choice;
  const own = catalogs.filter(({ name }) => name === catalog.name);
  return [...own, ...catalogs]
    .map((view) => view.package(packageName)?.bundles.get(bundle)?.properties)
    .find((properties) => properties !== undefined);
}

function chosenBundle(choice: PlacedChoice, properties: readonly Property[]): PresentBundle | undefined {
  const { package: packageName, version } = choice;
  if (tryVersion(version) === undefined) return undefined;
  const identity: Property = { type: 'olm.package', value: { packageName, version } };
  const known = properties.some(({ type }) => type === 'olm.package') ? properties : [identity, ...properties];
  return { ...installedBy(choice), packageName, properties: known };
}

/** The bundle that the BundleDeployment of another owner has installed, if its properties name it. Users who may not install definitions of APIs may claim to
 *  provide any. */
function foreignBundle({ name, noted, hasDefinitions }: Standing): PresentBundle | undefined {
  const properties = readNoted(noted);
  const identity = properties.find(({ type }) => type === 'olm.package')?.value;
  if (!isJsonObject(identity)) return undefined;
  const [packageName, version] = [textAt(identity, 'packageName'), tryVersion(textAt(identity, 'version'))];
  if (packageName === '' || version === undefined) return undefined;
  return { name: `bundledeployment ${name}`, version, packageName, properties, isClaim: !hasDefinitions };
}

interface Present {
  readonly bundle: PresentBundle;
  /** It is only a dependency. */
  readonly isMovable: boolean;
}

function presentOf(standing: Standing, catalogs: readonly CatalogView[]): Present | undefined {
  const { choice, noted, isRequested } = standing;
  const bundle =
    choice === undefined
      ? foreignBundle(standing)
      : chosenBundle(choice, propertiesOf(choice, catalogs) ?? readNoted(noted));
  return bundle && { bundle, isMovable: choice !== undefined && !isRequested };
}

/** What is installed on the cluster beside a package, and what of that may be updated because it is only a dependency. A dependency that
 *  could never be installed does not count: it may be chosen again. */
export function presentBeside(
  standing: readonly Standing[],
  packageName: string,
  catalogs: readonly CatalogView[],
): { readonly others: readonly PresentBundle[]; readonly movable: ReadonlySet<string> } {
  const beside = standing.filter((one) => {
    const isLost = one.choice !== undefined && !one.isRequested && one.hasNeverSucceeded;
    return !one.isBeingDeleted && !isLost && one.packageName !== packageName;
  });
  const present = beside.flatMap((one) => presentOf(one, catalogs) ?? []);
  const others = new Map(present.map(({ bundle }) => [bundle.name, bundle]));
  const movable = present.filter(({ isMovable }) => isMovable).map(({ bundle }) => bundle.name);
  return { others: [...others.values()], movable: new Set(movable) };
}

/** What of the BundleDeployments that were made for packages an installed bundle needs, and what that needs in turn. */
export function standingNeeds(
  standing: readonly Standing[],
  main: PlacedChoice,
  catalogs: readonly CatalogView[],
): readonly PlacedChoice[] {
  const choices = standing.flatMap(({ choice }) =>
    choice === undefined || choice.package === main.package ? [] : [choice],
  );
  const known = new Map<PlacedChoice, Facts | undefined>();
  const factsOfChoice = (choice: PlacedChoice): Facts | undefined => {
    if (known.has(choice)) return known.get(choice);
    const bundle = chosenBundle(choice, propertiesOf(choice, catalogs) ?? []);
    const facts = bundle && factsOf(bundle);
    known.set(choice, facts);
    return facts;
  };
  const needed = new Set<PlacedChoice>();
  const queue = [main];
  for (const user of queue) {
    for (const requirement of factsOfChoice(user)?.requirements ?? []) {
      const provider = choices.find((choice) => {
        const facts = factsOfChoice(choice);
        return facts !== undefined && isMetBy(requirement, facts);
      });
      if (provider === undefined || needed.has(provider)) continue;
      needed.add(provider);
      queue.push(provider);
    }
  }
  return [...needed];
}
