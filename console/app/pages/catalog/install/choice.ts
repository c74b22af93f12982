import type { PackageRow } from '../../../../server/wire.ts';
import type { FieldErrors, Values } from '../../../ui/schema/schema.ts';
import type { Channel, Manifest } from '../manifest.ts';

/** What installs a package: operators of CatalogSources by a Subscription, those of ClusterCatalogs by one of the others. */
export type InstallKind = 'Subscription' | 'ClusterExtension' | 'PlatformOperator';

/** How a package is to be installed. */
export interface Choice {
  readonly kind: InstallKind;
  readonly name: string;
  readonly channel: string;
  /** Empty for the newest of the channel. */
  readonly version: string;
  readonly namespace: string;
  readonly mode: Mode;
  readonly watched: string;
  readonly approval: 'Automatic' | 'Manual';
  /** ServiceAccount of a ClusterExtension; empty for the permissions of the controllers. */
  readonly account: string;
  /** Of the Deployments of the operator. */
  readonly config: Values;
}

const modeNames = {
  own: ['OwnNamespace'],
  all: ['AllNamespaces'],
  selected: ['SingleNamespace', 'MultiNamespace'],
} as const;
/** What the operator watches. */
export type Mode = keyof typeof modeNames;

/** The modes that the head of a channel supports. */
export function modesOf(channel: Channel | undefined): readonly Mode[] {
  const supported = (channel?.currentCSVDesc?.installModes ?? [])
    .filter((mode) => mode.supported)
    .map(({ type }) => type);
  return (Object.keys(modeNames) as Mode[]).filter((mode) => modeNames[mode].some((name) => supported.includes(name)));
}

/** The kinds that can install a package. */
export function kindsFor(row: PackageRow): readonly InstallKind[] {
  return row.catalogNamespace === '' ? ['ClusterExtension', 'PlatformOperator'] : ['Subscription'];
}

/** What the address asks for, as links to the form do: a version that the channel has, and whether updates wait. */
function askedIn(query: URLSearchParams, channel: Channel | undefined): Pick<Choice, 'version' | 'approval'> {
  const version = query.get('version') ?? '';
  const isOffered = channel?.entries?.some((entry) => entry.version === version) === true;
  return { version: isOffered ? version : '', approval: query.get('approval') === 'Manual' ? 'Manual' : 'Automatic' };
}

/** What the package suggests, and the address asks for. */
export function firstChoice(row: PackageRow, { status }: Manifest, query: URLSearchParams): Choice {
  const first = status.channels.find(({ name }) => name === status.defaultChannel) ?? status.channels[0];
  const modes = modesOf(first);
  const mode: Mode = modes.includes('all') ? 'all' : (modes[0] ?? 'own');
  const suggested = first?.currentCSVDesc?.annotations?.['operatorframework.io/suggested-namespace'];
  const [kind = 'Subscription'] = kindsFor(row);
  const shared = kind === 'Subscription' && mode === 'all';
  return {
    kind,
    name: row.name,
    channel: first?.name ?? '',
    namespace: shared ? 'operators' : (suggested ?? row.name),
    mode,
    watched: '',
    account: '',
    config: {},
    ...askedIn(query, first),
  };
}

/** Namespaces that the operator is to watch; none for all. */
export function watchedNamespaces({ mode, namespace, watched }: Choice): readonly string[] {
  if (mode === 'all') return [];
  return mode === 'own' ? [namespace] : watched.split(/[\s,]+/).filter((name) => name !== '');
}

const namePattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const maxNamespaceLength = 63;

function nameProblem(text: string): string {
  if (text === '') return 'is required';
  if (text.length > maxNamespaceLength) return `at most ${maxNamespaceLength} characters`;
  return namePattern.test(text)
    ? ''
    : 'lower case letters, digits and hyphens; it begins and ends with a letter or digit';
}

function watchedProblem(choice: Choice, channel: Channel | undefined): string {
  if (choice.mode !== 'selected') return '';
  const names = watchedNamespaces(choice);
  if (names.length === 0) return 'name at least one namespace';
  const wrong = names.find((name) => nameProblem(name) !== '');
  if (wrong !== undefined) return `"${wrong.slice(0, 80)}" is no name of a namespace`;
  const supported = channel?.currentCSVDesc?.installModes ?? [];
  const isMulti = supported.some(({ type, supported: isSupported }) => type === 'MultiNamespace' && isSupported);
  return names.length > 1 && !isMulti ? 'the operator watches one namespace, not several' : '';
}

/** What is wrong with a choice, by field. */
export function choiceErrors(choice: Choice, channel: Channel | undefined): FieldErrors {
  const isPlatform = choice.kind === 'PlatformOperator';
  const found: readonly (readonly [string, string])[] = [
    ['name', choice.kind === 'Subscription' ? '' : nameProblem(choice.name)],
    ['namespace', isPlatform ? '' : nameProblem(choice.namespace)],
    ['watched', isPlatform ? '' : watchedProblem(choice, channel)],
    ['account', choice.account === '' ? '' : nameProblem(choice.account)],
  ];
  return new Map(found.filter(([, text]) => text !== ''));
}
