import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  needsApi,
  needsPackage,
  provides,
  stockedCatalog,
  stockedPackage,
} from '../../../test/support/stocked-catalog.ts';
import { type Property, parseVersion } from '../../constraints/index.ts';
import type { CatalogBundle, CatalogPackage } from '../package.ts';
import type { InstalledConstraints, PresentBundle, ResolutionRequest } from './request.ts';
import { factsOf, isMetBy } from './requirement.ts';
import { resolve } from './resolve.ts';

const names = ['a', 'b', 'c', 'd'];
const versions = ['1.0.0', '1.1.0', '1.2.0'];
const ranges = ['>=1.0.0', '<1.1.0', '>=1.1.0', '>1.2.0', '1.1.x'];
const kinds = ['K', 'L'];

const needs: fc.Arbitrary<Property> = fc.oneof(
  fc.constantFrom(...kinds).map(needsApi),
  fc.tuple(fc.constantFrom(...names), fc.constantFrom(...ranges)).map(([name, range]) => needsPackage(name, range)),
);
const properties = fc
  .tuple(fc.array(needs, { maxLength: 2 }), fc.subarray(kinds), fc.integer({ min: 0, max: 9 }))
  .map(([needed, provided, rare]): readonly Property[] => [
    ...needed,
    ...(rare < 4 ? provided.map((kind) => provides(kind)) : []),
    ...(rare === 9 ? [{ type: 'olm.deprecated', value: {} }] : []),
  ]);

/** One line of versions, each of which replaces the one before. */
function line(name: string, of: readonly (readonly Property[])[]): CatalogPackage {
  const entries = of.map((_, index) => `${versions[index]}${index === 0 ? '' : ` <${versions[index - 1]}`}`);
  const own = Object.fromEntries(of.map((some, index): [string, readonly Property[]] => [versions[index] ?? '', some]));
  return stockedPackage(name, { stable: entries.join(';') }, own);
}

const packages = fc
  .tuple(...names.map(() => fc.array(properties, { minLength: 1, maxLength: 3 })))
  .map((each) => each.map((of, index) => line(names[index] ?? '', of)));
const requestedNames = fc.uniqueArray(fc.constantFrom(...names), { minLength: 1, maxLength: 3 });

function requestOf(stock: readonly CatalogPackage[], requested: readonly string[]): ResolutionRequest {
  return {
    catalogs: [stockedCatalog('cat', stock)],
    requested: requested.map((name) => ({ name, packageName: name })),
    installed: [],
  };
}

/** Whether the bundles, one of a package, go together with what is installed. By `BestEffort`, what that needs does not count, nor which APIs of it are the same. */
function goTogether(
  bundles: readonly CatalogBundle[],
  installed: readonly PresentBundle[] = [],
  constraints: InstalledConstraints = 'Required',
): boolean {
  const chosen = bundles.map(factsOf);
  const present = installed.map(factsOf);
  const facts = [...chosen, ...present];
  const counted = constraints === 'Required' ? facts : chosen;
  const ofPresent = present.flatMap((one) => [...one.apis.keys()]);
  const staying = constraints === 'Required' ? ofPresent : new Set(ofPresent);
  const apis = [...chosen.flatMap((one) => [...one.apis.keys()]), ...staying];
  const isClear = new Set(apis).size === apis.length && counted.every(({ isDeprecated }) => !isDeprecated);
  return (
    isClear &&
    counted.every(({ requirements }) => requirements.every((one) => facts.some((other) => isMetBy(one, other))))
  );
}

/** All ways to take one bundle, or none, of each package. */
function selections(stock: readonly CatalogPackage[]): readonly (readonly CatalogBundle[])[] {
  return stock.reduce<readonly (readonly CatalogBundle[])[]>(
    (some, { bundles }) => some.flatMap((taken) => [taken, ...[...bundles.values()].map((one) => [...taken, one])]),
    [[]],
  );
}

/** How new the requested bundles are, in the order of their names: greater is better. */
function rankOf(bundles: readonly CatalogBundle[], requested: readonly string[]): string {
  const ranks = requested
    .toSorted()
    .map((name) => bundles.find(({ packageName }) => packageName === name)?.version.minor);
  return ranks.map((minor) => (minor === undefined ? 'missing' : String(minor))).join(' ');
}

function answerOf(request: ResolutionRequest): readonly CatalogBundle[] | undefined {
  const answer = resolve(request);
  if (answer.outcome === 'conflict') return undefined;
  return answer.bundles.flatMap(({ origin }) => (origin === undefined ? [] : [origin.bundle]));
}

test('finds a solution where there is one, and the best for the first requests', () => {
  fc.assert(
    fc.property(packages, requestedNames, (stock, requested) => {
      const solutions = selections(stock).filter((bundles) => goTogether(bundles));
      const ranks = solutions.map((bundles) => rankOf(bundles, requested)).filter((rank) => !rank.includes('missing'));
      const found = answerOf(requestOf(stock, requested));
      expect(found === undefined).toBe(ranks.length === 0);
      if (found === undefined) return;
      expect(goTogether(found)).toBe(true);
      expect(rankOf(found, requested)).toBe(ranks.toSorted().at(-1));
    }),
    { numRuns: 150 },
  );
});

const installedBundles = fc.array(properties, { minLength: 1, maxLength: 2 }).map((each) =>
  each.map(
    (of, index): PresentBundle => ({
      name: `installed-${index}.v1.0.0`,
      packageName: `installed-${index}`,
      version: parseVersion('1.0.0'),
      properties: of,
    }),
  ),
);

test.each<InstalledConstraints>(['Required', 'BestEffort'])(
  'needs of installed bundles decide by the policy %s: they must be met, or stand against nothing',
  (installedConstraints) => {
    fc.assert(
      fc.property(packages, requestedNames, installedBundles, (stock, requested, installed) => {
        const solutions = selections(stock).filter((one) => goTogether(one, installed, installedConstraints));
        const ranks = solutions.map((one) => rankOf(one, requested)).filter((rank) => !rank.includes('missing'));
        const found = answerOf({ ...requestOf(stock, requested), installed, installedConstraints });
        expect(found === undefined).toBe(ranks.length === 0);
        if (found === undefined) return;
        expect(goTogether(found, installed, installedConstraints)).toBe(true);
        expect(rankOf(found, requested)).toBe(ranks.toSorted().at(-1));
      }),
      { numRuns: 150 },
    );
  },
);

test('installs nothing that is not requested or needed', () => {
  fc.assert(
    fc.property(packages, requestedNames, (stock, requested) => {
      const found = answerOf(requestOf(stock, requested)) ?? [];
      const asked = found.flatMap((bundle) => factsOf(bundle).requirements);
      for (const bundle of found) {
        const isNeeded = asked.some((requirement) => isMetBy(requirement, factsOf(bundle)));
        expect(isNeeded || requested.includes(bundle.packageName)).toBe(true);
      }
    }),
    { numRuns: 100 },
  );
});

test('a conflict names the requests that cannot be resolved together, and what to do', () => {
  fc.assert(
    fc.property(packages, requestedNames, (stock, requested) => {
      const answer = resolve(requestOf(stock, requested));
      if (answer.outcome === 'resolved') return;
      expect(answer.requestedBy.length).toBeGreaterThan(0);
      expect(answerOf(requestOf(stock, answer.requestedBy))).toBeUndefined();
      expect(answer.sentences.length).toBeGreaterThan(0);
      expect(answer.action).not.toBe('');
    }),
    { numRuns: 100 },
  );
});

/** The same answer as text, without objects of the catalog. */
function textOf(request: ResolutionRequest): string {
  const answer = resolve(request);
  if (answer.outcome === 'conflict') return JSON.stringify([answer.message, answer.sentences, answer.action]);
  return JSON.stringify(answer.bundles.map(({ candidate, reasons, newer }) => [candidate.id, reasons, newer]));
}

test('the order in which things are given does not matter', () => {
  const shuffled = packages.chain((stock) =>
    fc.tuple(fc.constant(stock), fc.shuffledSubarray(stock, { minLength: stock.length })),
  );
  const orders = requestedNames.chain((requested) =>
    fc.tuple(fc.constant(requested), fc.shuffledSubarray(requested, { minLength: requested.length })),
  );
  fc.assert(
    fc.property(shuffled, orders, ([stock, other], [requested, otherRequested]) => {
      const catalogs = [stockedCatalog('m', stock.slice(0, 2)), stockedCatalog('z', stock)];
      const otherCatalogs = [stockedCatalog('z', other), stockedCatalog('m', stock.slice(0, 2).toReversed())];
      const request = requestOf(stock, requested);
      const otherRequest = requestOf(other, otherRequested);
      expect(textOf({ ...otherRequest, catalogs: otherCatalogs })).toBe(textOf({ ...request, catalogs }));
    }),
    { numRuns: 100 },
  );
});
