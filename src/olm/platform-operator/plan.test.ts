import { expect, test } from 'vitest';
import { drawnCatalog, drawnPackage } from '../../../test/support/drawn-package.ts';
import type { Property } from '../../constraints/index.ts';
import type { CatalogView } from '../../resolver/index.ts';
import { type Plan, planFor } from './plan.ts';

const pigeons = 4;

/** One hole too few for them. */
function pigeonPackages() {
  return Array.from({ length: pigeons }, (_, pigeon) => {
    const versions = Array.from({ length: pigeons - 1 }, (__, hole) => `1.${hole}.0`);
    const provided = versions.map((version, hole): [string, readonly Property[]] => [
      version,
      [{ type: 'olm.gvk', value: { group: 'g.io', version: 'v1', kind: `Hole${hole}` } }],
    ]);
    return drawnPackage(
      { stable: versions.map((version, hole) => (hole === 0 ? version : `${version} <1.${hole - 1}.0`)).join(';') },
      [],
      {
        name: `pigeon${pigeon}`,
        properties: Object.fromEntries(provided),
      },
    );
  });
}

/** Versions of a package each of which needs all pigeons. */
function hostileCatalog(versions: readonly string[]): CatalogView {
  const needs = Array.from({ length: pigeons }, (_, pigeon): Property => {
    return { type: 'olm.package.required', value: { packageName: `pigeon${pigeon}`, versionRange: '>=1.0.0' } };
  });
  const properties = Object.fromEntries(versions.map((version) => [version, needs]));
  const entries = versions.map((version, index) => (index === 0 ? version : `${version} <${versions[index - 1]}`));
  return drawnCatalog([drawnPackage({ stable: entries.join(';') }, [], { properties }), ...pigeonPackages()]);
}

function plan(versions: readonly string[], maxSteps: number): Plan {
  return planFor({
    catalogs: [hostileCatalog(versions)],
    name: 'tide',
    packageName: 'p',
    installed: undefined,
    others: [],
    movable: new Set(),
    limits: { maxSteps },
  });
}

test('all bundles that are tried for a package share one budget of steps', () => {
  const cancelled = 'cancelled before a solution could be found: more than';
  let maxSteps = 64;
  const one = (): Plan | undefined => {
    try {
      return plan(['1.0.0'], maxSteps);
    } catch (thrown) {
      expect((thrown as Error).message).toContain(cancelled);
      return undefined;
    }
  };
  while (one() === undefined) maxSteps *= 2;
  expect(one()?.outcome).toBe('blocked');
  const versions = Array.from({ length: 8 }, (_, minor) => `1.${minor}.0`);
  expect(() => plan(versions, maxSteps)).toThrow(cancelled);
  expect(plan(versions, maxSteps * 16).outcome).toBe('blocked');
});
