import {
  type CatalogPackage,
  type CatalogView,
  type Facts,
  factsOf,
  isMetBy,
  packagesFor,
  type Requirement,
} from '../../resolver/index.ts';
import type { RetainedPackage } from './prune.ts';

/** Something that a bundle needs, and no other bundle of the same catalog is. */
export interface MissingRequirement {
  /** Of the bundle; the first one of several. */
  readonly bundle: string;
  readonly description: string;
  /** Packages of the whole catalog that would meet it, sorted. */
  readonly providers: readonly string[];
}

function factsOfPackage({ bundles }: CatalogPackage, isKept: (bundle: string) => boolean): Map<string, Facts> {
  const kept = Array.from(bundles).filter(([name]) => isKept(name));
  return new Map(kept.map(([name, bundle]) => [name, factsOf(bundle)]));
}

function providersOf(requirement: Requirement, view: CatalogView): readonly string[] {
  const names = packagesFor(requirement, (api) => view.packagesProviding(api)) ?? [];
  return names.filter((name) =>
    Array.from(view.package(name)?.bundles.values() ?? []).some((bundle) => isMetBy(requirement, factsOf(bundle))),
  );
}

/** What the bundles that stay need, and none that stays is; each need once. */
export function missingRequirements(
  view: CatalogView,
  kept: ReadonlyMap<string, RetainedPackage>,
): readonly MissingRequirement[] {
  const facts = Array.from(kept.values()).flatMap(({ name, bundles }) => {
    const found = view.package(name);
    return found === undefined ? [] : Array.from(factsOfPackage(found, (bundle) => bundles.has(bundle)));
  });
  const missing = new Map<string, MissingRequirement>();
  for (const [bundle, { requirements }] of facts) {
    for (const requirement of requirements) {
      const { text, description } = requirement;
      if (missing.has(text) || facts.some(([, other]) => isMetBy(requirement, other))) continue;
      missing.set(text, { bundle, description, providers: providersOf(requirement, view) });
    }
  }
  return Array.from(missing.values());
}
