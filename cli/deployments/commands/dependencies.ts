import { printable, TerminalError } from '../../../src/base/index.ts';
import { openKube } from '../../client/index.ts';
import type { kubeconfigOption, OptionValues, outputOption } from '../../command/index.ts';
import { formatReference, type Reference } from '../dependencies/installed-bundle.ts';
import { readFates } from '../dependencies/removal.ts';
import { type Reading, readStandings, type Standing } from '../dependencies/standing.ts';
import { dependenciesText, type Removal } from '../dependencies/text.ts';

type Values = OptionValues<typeof kubeconfigOption & typeof outputOption>;

const deadlineMs = 2 * 60_000;
const shortNames: Readonly<Record<string, string>> = {
  bd: 'bundledeployment',
  csv: 'clusterserviceversion',
  sub: 'subscription',
};

/** `bd/NAME`, `subscription/NAMESPACE/NAME`: KIND/[NAMESPACE/]NAME.
 *  @throws TerminalError InvalidOption */
function isNamed(text: string): (reference: Reference) => boolean {
  const [word = '', ...rest] = text.split('/');
  const [namespace = '', name = ''] = rest.length === 1 ? ['', ...rest] : rest;
  const kind = shortNames[word.toLowerCase()] ?? word.toLowerCase();
  if (kind === '' || name === '' || rest.length > 2) {
    throw new TerminalError('InvalidOption', `dependencies: expected KIND/[NAMESPACE/]NAME, found "${text}"`);
  }
  return (one) => one.kind.toLowerCase() === kind && one.namespace === namespace && one.name === name;
}

/** The same object may be named as what was installed, and by what was made for it. */
function chooseNamed(standings: readonly Standing[], text: string): readonly Standing[] {
  const isIt = isNamed(text);
  const found = standings.filter((one) => isIt(one) || isIt(one.installation));
  if (found.length > 0) return found;
  throw new TerminalError('NotFound', `${text}: no such bundle is installed: see longshore dependencies`);
}

/** What breaks that is not removed together with them. */
function breaksOf(all: readonly Standing[], removed: readonly Standing[]): Removal['breaks'] {
  const names = new Set(removed.map(formatReference));
  const broken = removed.flatMap(({ requiredBy }) => requiredBy).filter((one) => !names.has(formatReference(one)));
  const once = [...new Map(broken.map((one) => [formatReference(one), one])).values()];
  return once.map(({ kind, namespace, name }) => {
    const user = all.find((one) => formatReference(one) === formatReference({ kind, namespace, name }));
    const lost = (user?.needs ?? []).filter(({ metBy }) => metBy.some((one) => names.has(formatReference(one))));
    return { kind, namespace, name, needs: lost.map(({ text }) => text) };
  });
}

async function removalOf(reading: Reading, all: readonly Standing[], removed: readonly Standing[]): Promise<Removal> {
  const definitions = [];
  for (const one of removed) definitions.push(...(await readFates(reading, one)));
  return { breaks: breaksOf(all, removed), definitions };
}

/** `longshore dependencies [KIND/[NAMESPACE/]NAME]`: 1 when some of it cannot be read. */
export async function dependencies(values: Values, [text]: readonly [string?]): Promise<number> {
  using kube = await openKube(values);
  const unreadable: string[] = [];
  const onUnreadable = (line: string): void => void unreadable.push(line);
  const reading = { kube, signal: AbortSignal.timeout(deadlineMs), onUnreadable };
  const all = await readStandings(reading);
  const installations = text === undefined ? all : chooseNamed(all, text);
  const removal = text === undefined ? undefined : await removalOf(reading, all, installations);
  const document = { installations, ...(removal === undefined ? {} : { removal }) };
  process.stdout.write(
    values.output === 'json' ? `${JSON.stringify(document)}\n` : dependenciesText(installations, removal),
  );
  for (const line of unreadable) process.stderr.write(`longshore: cannot be read: ${printable(line)}\n`);
  return unreadable.length === 0 ? 0 : 1;
}
