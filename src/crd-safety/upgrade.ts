import { isJsonEqual, type JsonObject } from '../base/index.ts';
import type { Finding } from './check.ts';
import { existingObjects, findInvalidObjects, type ObjectReading } from './checks/existing-objects.ts';
import { storedVersionRemoval } from './checks/stored-version-removal.ts';
import { findIncompatibilities } from './compatibility.ts';
import { crdNameOf, readCrd } from './crd.ts';
import type { SafetySwitches } from './switches.ts';

/** A change of a CRD. */
export interface CrdChange {
  /** As the cluster has it, with its status. */
  readonly before: JsonObject;
  readonly after: JsonObject;
}

/** Options of the checks of a change. A finding reports a deadline that was too short to read all objects. */
export interface SafetyOptions extends ObjectReading {
  readonly switches: SafetySwitches;
  /** A rollback to the previous definition: only harm to stored data counts. */
  readonly isRestored?: boolean;
}

const maxShown = 50;
const maxCharacters = 16_384;

function findingsOf(check: string, texts: readonly string[]): Finding[] {
  return texts.map((text) => ({ check, text, isStatic: false }));
}

/** All findings of enabled checks about a change of a CRD; nothing is read if its spec stays the same.
 *  @throws TerminalError InvalidObject for an object that is not a CRD */
export async function checkCrdChange(change: CrdChange, options: SafetyOptions): Promise<readonly Finding[]> {
  const { isOff, ignored } = options.switches;
  const [before, after] = [readCrd(change.before), readCrd(change.after)];
  if (isOff || isJsonEqual(change.before.spec, change.after.spec)) return [];
  const invalid = ignored.has(existingObjects.name) ? [] : await findInvalidObjects(before, after, options);
  const found = [
    ...findingsOf(storedVersionRemoval.name, storedVersionRemoval.find(before, after)),
    ...findingsOf(existingObjects.name, invalid),
    ...(options.isRestored === true ? [] : findIncompatibilities(before, after)),
  ];
  return found.filter(({ check }) => !ignored.has(check));
}

/** What was found, for people: the original's findings in its words, then all others. */
export function describeFindings(change: CrdChange, findings: readonly Finding[]): string {
  const texts = findings.filter(({ isStatic }) => !isStatic).map(({ text }) => text);
  const others = findings.filter(({ isStatic }) => isStatic).map(({ text }) => text);
  const more = others.length > maxShown ? [`and ${others.length - maxShown} more`] : [];
  const listed = [...others.slice(0, maxShown), ...more].join('\n');
  const lines = [
    ...texts,
    ...(others.length === 0 ? [] : [`validating upgrade for CRD "${crdNameOf(change.after)}": ${listed}`]),
  ];
  const text = lines.join('\n');
  return text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters)}…`;
}
