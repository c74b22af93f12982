import type { Installation } from '../../../../server/wire.ts';
import { texts } from '../../../texts.ts';
import { isValues, type Value, type Values } from '../../../ui/schema/schema.ts';
import { mergePatch } from '../merge-patch.ts';

/** What can be chosen of an installation from a catalog; empty for what is not chosen. */
export interface Choice {
  readonly version: string;
  readonly channel: string;
  readonly policy: string;
}

/** A kind that installs from catalogs. */
interface ManagedKind {
  readonly fields: readonly (keyof Choice)[];
  /** Policies of updates, with what they do; the first is the default. */
  readonly policies: readonly (readonly [string, string])[];
  readonly read: (spec: Values) => Choice;
  readonly write: (spec: Values, choice: Choice) => Values;
  /** Whether the choice leads to another version at all. */
  readonly isFollowing: (choice: Choice) => boolean;
  /** Whether only updates of the graph are installed. */
  readonly isBound: (choice: Choice) => boolean;
}

const textIn = (values: Values, key: string): string => {
  const value = values[key];
  return typeof value === 'string' ? value : '';
};
const valuesIn = (values: Values, key: string): Values => {
  const value = values[key];
  return isValues(value) ? value : {};
};
/** How several channels are shown. */
const listed = (value: Value): string => (Array.isArray(value) ? value.join(', ') : '');

function withText(values: Values, key: string, text: string): Values {
  const { [key]: _before, ...rest } = values;
  return text === '' ? rest : { ...rest, [key]: text };
}

const catalogOf = (spec: Values): Values => valuesIn(valuesIn(spec, 'source'), 'catalog');

const extension: ManagedKind = {
  fields: ['version', 'channel', 'policy'],
  policies: [
    ['CatalogProvided', texts.managed.catalogProvided],
    ['SelfCertified', texts.managed.selfCertified],
  ],
  read: (spec) => {
    const catalog = catalogOf(spec);
    const policy = textIn(catalog, 'upgradeConstraintPolicy') || 'CatalogProvided';
    return { version: textIn(catalog, 'version'), channel: listed(catalog['channels']), policy };
  },
  write: (spec, { version, channel, policy }) => {
    const isKept = policy === extension.read(spec).policy;
    const before = withText(catalogOf(spec), 'version', version);
    const { channels, ...rest } = isKept ? before : { ...before, upgradeConstraintPolicy: policy };
    const isSame = listed(channels) === channel;
    const chosen = isSame ? channels : channel === '' ? undefined : [channel];
    const catalog = chosen === undefined ? rest : { ...rest, channels: chosen };
    return { ...spec, source: { ...valuesIn(spec, 'source'), catalog } };
  },
  isFollowing: () => true,
  isBound: ({ policy }) => policy !== 'SelfCertified',
};

const platformOperator: ManagedKind = {
  fields: ['policy'],
  policies: [
    ['None', texts.managed.none],
    ['Automatic', texts.managed.automatic],
  ],
  read: (spec) => ({ version: '', channel: '', policy: textIn(spec, 'upgradePolicy') || 'None' }),
  write: (spec, { policy }) => ({ ...spec, upgradePolicy: policy }),
  isFollowing: ({ policy }) => policy === 'Automatic',
  isBound: () => true,
};

const subscription: ManagedKind = {
  fields: ['channel', 'policy'],
  policies: [
    ['Automatic', texts.managed.automatic],
    ['Manual', texts.managed.manual],
  ],
  read: (spec) => ({
    version: '',
    channel: textIn(spec, 'channel'),
    policy: textIn(spec, 'installPlanApproval') || 'Automatic',
  }),
  write: (spec, { channel, policy }) => {
    const isKept = policy === subscription.read(spec).policy;
    return withText(isKept ? spec : { ...spec, installPlanApproval: policy }, 'channel', channel);
  },
  isFollowing: () => true,
  isBound: () => true,
};

/** The kinds whose version, channel or policy is chosen. */
export const managedKinds: Readonly<Record<string, ManagedKind>> = {
  ClusterExtension: extension,
  PlatformOperator: platformOperator,
  Subscription: subscription,
};

/** The merge patch that makes the choice; undefined where nothing changes. */
export function patchOf(kind: ManagedKind, spec: Values, choice: Choice): Values | undefined {
  const before = kind.read(spec);
  const isSame = (['version', 'channel', 'policy'] as const).every((field) => before[field] === choice[field]);
  return isSame ? undefined : { spec: mergePatch(spec, kind.write(spec, choice)) };
}

/** The package of an installation, and the catalog where it names one. */
export function packageOf({ kind, source }: Installation): { readonly name: string; readonly catalog: string } {
  const [name = '', , place = ''] = source.split(' ');
  return { name, catalog: kind === 'Subscription' ? place.replace(/,$/, '') : '' };
}
