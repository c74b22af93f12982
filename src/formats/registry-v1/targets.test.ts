import { expect, test } from 'vitest';
import type { InstallMode } from './csv.ts';
import { resolveTargets } from './targets.ts';

const own = 'i';
const initials: Readonly<Record<string, InstallMode>> = {
  A: 'AllNamespaces',
  O: 'OwnNamespace',
  S: 'SingleNamespace',
  M: 'MultiNamespace',
};
const modes = (letters: string): InstallMode[] =>
  Array.from(letters, (letter) => initials[letter] as InstallMode).sort();

test.for<[string, string, string[], string[]]>([
  ['RV-T1 everything is the default', 'A', [], ['']],
  ['its own namespace', 'O', [own], [own]],
  ['another namespace', 'S', ['x'], ['x']],
  ['several, each once', 'M', ['x', 'y', 'x'], ['x', 'y']],
  ['several with its own', 'OM', [own, 'x'], [own, 'x']],
])('%s: modes %s, requested %j', ([_name, letters, requested, targets]) => {
  expect(resolveTargets(requested, own, modes(letters))).toEqual(targets);
});

const cannot = (list: string): string => `supported install modes [${list}] do not support`;

test.for<[string, string, string[], string]>([
  ['RV-T2', 'O', [], 'invalid target namespaces []: exactly one target namespace must be specified'],
  ['RV-T3', 'M', [], 'invalid target namespaces []: at least one target namespace must be specified'],
  ['RV-T4', 'M', ['x'], `invalid target namespaces [x]: ${cannot('MultiNamespace')} target namespaces [x]`],
  ['RV-T5', 'SM', [own, 'x'], `${cannot('MultiNamespace SingleNamespace')} targeting own namespace`],
  ['RV-T6', 'M', ['', 'x'], `${cannot('MultiNamespace')} target namespaces [ x]`],
  ['everything where only its own is supported', 'O', [''], `${cannot('OwnNamespace')} targeting all namespaces`],
  ['its own where only others are supported', 'S', [own], `${cannot('SingleNamespace')} targeting own namespace`],
  ['several where one is supported', 'S', ['x', 'y'], `${cannot('SingleNamespace')} target namespaces [x y]`],
])('%s is refused: modes %s, requested %j', ([_name, letters, requested, text]) => {
  expect(() => resolveTargets(requested, own, modes(letters))).toThrow(text);
  expect(() => resolveTargets(requested, own, modes(letters))).toThrow(/^invalid option\(s\): /);
});
