import { crdSafetyIgnoreAnnotation, safeCrdUpgradeAnnotation } from '../api/index.ts';
import { safetyChecks } from './checks/table.ts';

type Annotations = Readonly<Record<string, string>> | undefined;

/** Which checks are switched off. */
export interface SafetySwitches {
  readonly isOff: boolean;
  readonly ignored: ReadonlySet<string>;
  /** For people, when an annotation names a check that is none: which, and what the checks are. */
  readonly warnings: readonly string[];
}

const known: ReadonlySet<string> = new Set(safetyChecks.map(({ name }) => name));
/** The API server cuts warnings off after 256 characters. */
const maxShownCharacters = 60;

function namesIn(annotations: Annotations): string[] {
  const names = (annotations?.[crdSafetyIgnoreAnnotation] ?? '').split(',').map((name) => name.trim());
  return names.filter((name) => name !== '');
}

function unknownTexts(names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const shown = names.map((name) =>
    name.length > maxShownCharacters ? `${name.slice(0, maxShownCharacters)}…` : name,
  );
  return [
    ...shown.map((name) => `annotation ${crdSafetyIgnoreAnnotation}: there is no check "${name}"`),
    `the checks are ${[...known].join(', ')}`,
  ];
}

/** Reads `core.rukpak.io/safe-crd-upgrade-validation: "false"` and `core.rukpak.io/crd-safety-ignore: <check>,<check>` from whatever
 *  may have them; a check that one of them switches off is off. */
export function readSwitches(...bearers: readonly Annotations[]): SafetySwitches {
  const names = new Set(bearers.flatMap(namesIn));
  return {
    isOff: bearers.some((annotations) => annotations?.[safeCrdUpgradeAnnotation] === 'false'),
    ignored: names,
    warnings: unknownTexts([...names].filter((name) => !known.has(name))),
  };
}

/** How to ignore the checks `names`; `annotated` is the object to annotate. */
export function howToIgnore(names: readonly string[], annotated: string): string {
  return `to ignore this check, annotate the ${annotated} with ${crdSafetyIgnoreAnnotation}: ${[...new Set(names)].join(',')}`;
}
