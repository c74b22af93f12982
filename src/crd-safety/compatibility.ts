import type { Schema } from '../schema/index.ts';
import type { Finding } from './check.ts';
import { crdChecks, schemaChecks } from './checks/table.ts';
import { type Crd, versionOf, versionsByAge } from './crd.ts';
import { pairSchemas, type SchemaPair } from './schema-pairs.ts';

function inOrder(a: SchemaPair, b: SchemaPair): number {
  return a.path < b.path ? -1 : Number(a.path > b.path);
}

/** `isWhole`: a removed place counts as one that allows everything; otherwise it is left to another check. */
function schemaFindings(
  where: string,
  [before, after]: readonly [Schema, Schema],
  options: { readonly isWhole: boolean },
): Finding[] {
  const pairs = pairSchemas(before, after).toSorted(inOrder);
  return pairs.flatMap((pair) => {
    if (pair.after === undefined && !options.isWhole) return [];
    return schemaChecks.flatMap(({ name, find }): Finding[] => {
      const message = find(pair.before, pair.after ?? {});
      if (message === undefined) return [];
      return [{ check: name, text: `${where}: ${pair.path}: ${name}: ${message}`, isStatic: true }];
    });
  });
}

function versionFindings(before: Crd, after: Crd): Finding[] {
  return versionsByAge(before).flatMap(({ name, schema }) => {
    const now = versionOf(after, name);
    return now === undefined ? [] : schemaFindings(name, [schema, now.schema], { isWhole: false });
  });
}

/** Every version is compared with every other: a bundle must not make that a matter of minutes. */
const maxServed = 32;

function tooMany(count: number): Finding {
  const text = `unhandled: ${count} versions are served, at most ${maxServed} are compared with each other`;
  return { check: 'unhandled', text, isStatic: true };
}

function pairFindings(crd: Crd): Finding[] {
  const served = versionsByAge(crd).filter(({ isServed }) => isServed);
  if (served.length > maxServed) return [tooMany(served.length)];
  return served.flatMap((older, index) =>
    served
      .slice(index + 1)
      .flatMap((newer) =>
        schemaFindings(`${older.name} -> ${newer.name}`, [older.schema, newer.schema], { isWhole: true }),
      ),
  );
}

/** What the versions of the new definition have against each other, less what they had before. */
function newPairFindings(before: Crd, after: Crd): Finding[] {
  if (!after.isConvertedAlike) return [];
  const known = new Set(pairFindings(before).map(({ text }) => text));
  return pairFindings(after).filter(({ text }) => !known.has(text));
}

/** What in the new definition may be incompatible with the old one, whatever objects there are: of the CRD, of each version, of versions among
 *  each other. Pure. */
export function findIncompatibilities(before: Crd, after: Crd): readonly Finding[] {
  const ofCrd = crdChecks.flatMap(({ name, find }) =>
    find(before, after).map((message) => ({ check: name, text: `${name}: ${message}`, isStatic: true })),
  );
  return [...ofCrd, ...versionFindings(before, after), ...newPairFindings(before, after)];
}
