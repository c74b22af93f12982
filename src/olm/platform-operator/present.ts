import { parseBundleDeployment, platformPackageLabel } from '../../api/index.ts';
import { isJsonObject, textAt } from '../../base/index.ts';
import { type Property, parseTolerantVersion, type Version } from '../../constraints/index.ts';
import type { KubeObject } from '../../kube/index.ts';
import { type CatalogView, type Facts, factsOf, isMetBy, type PresentBundle } from '../../resolver/index.ts';
import { choiceOf, installedBy, type PlacedChoice } from './choice.ts';
import type { PlatformContext } from './context.ts';
import { platformOwners } from './deployment-object.ts';

function tryVersion(text: string): Version | undefined {
  try {
    return parseTolerantVersion(text);
  } catch {
    return undefined;
  }
}

function notedOf({ noted }: PlatformContext, deployment: KubeObject): readonly Property[] {
  const { activeBundle = '' } = parseBundleDeployment(deployment).status ?? {};
  return noted.get(activeBundle) ?? [];
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

/** What somebody else's BundleDeployment has installed, when that says what it is. */
function foreignBundle(name: string, properties: readonly Property[]): PresentBundle | undefined {
  const identity = properties.find(({ type }) => type === 'olm.package')?.value;
  if (!isJsonObject(identity)) return undefined;
  const [packageName, version] = [textAt(identity, 'packageName'), tryVersion(textAt(identity, 'version'))];
  if (packageName === '' || version === undefined) return undefined;
  return { name: `bundledeployment ${name}`, version, packageName, properties };
}

interface Present {
  readonly bundle: PresentBundle;
  /** It is there only because something needs it. */
  readonly isMovable: boolean;
}

function presentOf(
  context: PlatformContext,
  deployment: KubeObject,
  catalogs: readonly CatalogView[],
): Present | undefined {
  const choice = choiceOf(deployment);
  const noted = notedOf(context, deployment);
  if (choice === undefined) {
    const bundle = foreignBundle(deployment.metadata.name ?? '', noted);
    return bundle && { bundle, isMovable: false };
  }
  const bundle = chosenBundle(choice, propertiesOf(choice, catalogs) ?? noted);
  const isWanted = platformOwners(deployment).some(({ controller = false }) => controller);
  return bundle && { bundle, isMovable: !isWanted };
}

/** What is installed on the cluster beside a package, and what of that may be updated because it is there for others only. */
export function presentBeside(
  context: PlatformContext,
  packageName: string,
  catalogs: readonly CatalogView[],
): { readonly others: readonly PresentBundle[]; readonly movable: ReadonlySet<string> } {
  const beside = context.deployments.values().filter(({ metadata }) => {
    return metadata.deletionTimestamp === undefined && metadata.labels?.[platformPackageLabel] !== packageName;
  });
  const present = beside.flatMap((deployment) => presentOf(context, deployment, catalogs) ?? []);
  const others = new Map(present.map(({ bundle }) => [bundle.name, bundle]));
  const movable = present.filter(({ isMovable }) => isMovable).map(({ bundle }) => bundle.name);
  return { others: [...others.values()], movable: new Set(movable) };
}

/** What of the BundleDeployments that were made for packages an installed bundle needs, and what that needs in turn. */
export function standingNeeds(
  context: PlatformContext,
  main: PlacedChoice,
  catalogs: readonly CatalogView[],
): readonly PlacedChoice[] {
  const choices = context.deployments.values().flatMap((deployment) => {
    const choice = choiceOf(deployment);
    return choice === undefined || choice.package === main.package ? [] : [choice];
  });
  const factsOfChoice = (choice: PlacedChoice): Facts | undefined => {
    const bundle = chosenBundle(choice, propertiesOf(choice, catalogs) ?? []);
    return bundle && factsOf(bundle);
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
