import { type JsonObject, printable, TerminalError } from '../../../src/base/index.ts';
import { openKube } from '../../client/index.ts';
import type { kubeconfigOption, OptionValues } from '../../command/index.ts';
import { patchClusterVersion, readClusterVersion } from '../cluster-version.ts';
import type { acceptOptions } from '../options.ts';

type Values = OptionValues<typeof kubeconfigOption & typeof acceptOptions>;

interface Change {
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

const usage = (text: string): TerminalError => new TerminalError('InvalidOption', text);

/** Reads `RiskA,RiskB-`.
 *  @throws TerminalError InvalidOption */
export function readRisks(text: string): Change {
  const names = text.split(',').map((name) => name.trim());
  const bad = names.find((name) => name === '' || name === '-');
  if (bad !== undefined) throw usage(`illegal risk "${bad}"`);
  const remove = names.filter((name) => name.endsWith('-')).map((name) => name.slice(0, -1));
  const add = names.filter((name) => !name.endsWith('-'));
  const both = [...new Set(add.filter((name) => remove.includes(name)))].toSorted();
  if (both.length > 0) throw usage(`requested risks with both Risk and Risk-: ${both.join(',')}`);
  return { add: [...new Set(add)].toSorted(), remove };
}

/** The names that are accepted afterwards: those of before in their order, then the new ones. */
export function acceptedNames(
  existing: readonly string[],
  { add, remove }: Change,
  { isReplaced, isCleared }: { readonly isReplaced: boolean; readonly isCleared: boolean },
): readonly string[] {
  if (isCleared) return [];
  const kept = isReplaced ? [] : existing.filter((name) => !remove.includes(name));
  return [...kept, ...add.filter((name) => !kept.includes(name))];
}

/** @throws TerminalError InvalidOption */
function readChange({ clear, replace }: Values, text: string | undefined): Change {
  if (clear && replace) throw usage('--clear and --replace are mutually exclusive');
  if (clear && text !== undefined) throw usage('--clear takes no risks');
  if (text === undefined && !clear) throw usage('expected the names of risks, or --clear');
  const change = text === undefined ? { add: [], remove: [] } : readRisks(text);
  if (replace && change.remove.length > 0) {
    throw usage(`The suffix '-' on risks is not allowed if --replace is specified`);
  }
  return change;
}

/** `longshore upgrade accept [RISKS]` */
export async function accept(values: Values, [text]: readonly [string?]): Promise<number> {
  const change = readChange(values, text);
  using kube = await openKube(values);
  const { desiredUpdate } = await readClusterVersion(kube);
  const existing = desiredUpdate?.acceptRisks ?? [];
  const before = existing.map(({ name }) => name);
  const names = acceptedNames(before, change, { isReplaced: values.replace, isCleared: values.clear });
  if (names.join(',') === before.join(',')) {
    process.stdout.write('info: Accept risks are not changed\n');
    return 0;
  }
  const acceptRisks = names.map((name): JsonObject => ({ name }));
  // A request without anything else in it is not valid.
  const isEmpty = names.length === 0 && Object.keys(desiredUpdate ?? {}).every((key) => key === 'acceptRisks');
  await patchClusterVersion(kube, { desiredUpdate: isEmpty ? null : { acceptRisks } }, false);
  process.stdout.write(printable(`info: Accept risks are [${names.join(', ')}]\n`));
  return 0;
}
