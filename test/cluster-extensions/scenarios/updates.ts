import { bundle, catalogChange, catalogOf, configMap, extension, extensionTarget, settled } from '../objects.ts';
import type { Action, Scenario } from '../scenario.ts';

const versions = ['1.0.0', '1.1.0', '1.2.0', '2.0.0', '1.0.0+1'];
const bundles = Object.fromEntries(
  versions.map((version) => [version, bundle(version, { extra: [configMap('settings', { version })] })]),
);
const failed: readonly string[] = ['Retrying'];
const at = (version: string): readonly string[] => [`"tide.v${version}"`, ...settled];

type Channels = Parameters<typeof catalogOf>[0]['channels'];
const publish = (channels: Channels, more: object = {}): Action => ({
  publish: 'shop',
  catalog: catalogOf({ channels, ...more }),
});
const first = publish({ stable: ['1.0.0'] });
const ask = (catalog: object = {}): Action => ({ apply: extension({ catalog: catalog as never }) });
const change = (catalog: object): Action => ({ patch: extensionTarget(), merge: catalogChange(catalog as never) });
const replaced: Channels = { stable: ['1.0.0', { version: '1.1.0', replaces: '1.0.0' }] };
const unlinked: Channels = { stable: ['1.0.0', '1.2.0'] };

const start: readonly Action[] = [first, ask(), { rest: 'first', until: at('1.0.0') }];

export const scenarios: readonly Scenario[] = [
  {
    id: 'U01',
    title: 'a catalog gains a successor: the extension moves by itself',
    bundles,
    actions: [...start, publish(replaced), { rest: 'moved', until: at('1.1.0') }],
  },
  {
    id: 'U02',
    title: 'a newer version to which no update leads',
    bundles,
    actions: [...start, publish(unlinked), { rest: 'stays', until: at('1.0.0') }],
  },
  {
    id: 'U03',
    title: 'a pinned version to which no update leads; then self-certified',
    bundles,
    actions: [
      ...start,
      publish(unlinked),
      change({ version: '1.2.0' }),
      { rest: 'refused', until: failed },
      change({ upgradeConstraintPolicy: 'SelfCertified' }),
      { rest: 'forced', until: at('1.2.0') },
    ],
  },
  {
    id: 'U04',
    title: 'a successor that skips what is installed',
    bundles,
    actions: [
      ...start,
      publish({ stable: ['1.0.0', { version: '1.2.0', skips: ['1.0.0'] }] }),
      { rest: 'moved', until: at('1.2.0') },
    ],
  },
  {
    id: 'U05',
    title: 'a successor whose range covers what is installed',
    bundles,
    actions: [
      ...start,
      publish({ stable: ['1.0.0', { version: '2.0.0', skipRange: '>=1.0.0 <2.0.0' }] }),
      { rest: 'moved', until: at('2.0.0') },
    ],
  },
  {
    id: 'U06',
    title: 'a range that cannot be read',
    bundles,
    actions: [
      ...start,
      publish({ stable: ['1.0.0', { version: '2.0.0', skipRange: '~1.0' }] }),
      { rest: 'stays', until: at('1.0.0') },
    ],
  },
  {
    id: 'U07',
    title: 'a downgrade is refused; then self-certified',
    bundles,
    actions: [
      publish(replaced),
      ask(),
      { rest: 'first', until: at('1.1.0') },
      change({ version: '1.0.0' }),
      { rest: 'refused', until: failed },
      change({ upgradeConstraintPolicy: 'SelfCertified' }),
      { rest: 'back', until: at('1.0.0') },
    ],
  },
  {
    id: 'U08',
    title: 'a pinned extension stays when a successor is published; then it is released',
    bundles,
    actions: [
      first,
      ask({ version: '1.0.0' }),
      { rest: 'first', until: at('1.0.0') },
      publish(replaced),
      { rest: 'stays', until: at('1.0.0') },
      change({ version: null }),
      { rest: 'moved', until: at('1.1.0') },
    ],
  },
  {
    id: 'U09',
    title: 'a range holds a successor back',
    bundles,
    actions: [
      first,
      ask({ version: '1.x' }),
      { rest: 'first', until: at('1.0.0') },
      publish({ stable: ['1.0.0', { version: '2.0.0', replaces: '1.0.0' }] }),
      { rest: 'stays', until: at('1.0.0') },
    ],
  },
  {
    id: 'U10',
    title: 'updates go from one version to the next',
    bundles,
    actions: [
      ...start,
      publish({
        stable: ['1.0.0', { version: '1.1.0', replaces: '1.0.0' }, { version: '1.2.0', replaces: '1.1.0' }],
      }),
      { rest: 'moved', until: at('1.2.0') },
    ],
  },
  {
    id: 'U11',
    title: 'another channel with an update from what is installed',
    bundles,
    actions: [
      publish({ stable: ['1.0.0'], fast: [{ version: '1.1.0', replaces: '1.0.0' }] }),
      ask({ channels: ['stable'] }),
      { rest: 'first', until: at('1.0.0') },
      change({ channels: ['fast'] }),
      { rest: 'switched', until: at('1.1.0') },
    ],
  },
  {
    id: 'U12',
    title: 'another channel without an update from what is installed',
    bundles,
    actions: [
      publish({ stable: ['1.0.0'], fast: ['1.1.0'] }),
      ask({ channels: ['stable'] }),
      { rest: 'first', until: at('1.0.0') },
      change({ channels: ['fast'] }),
      { rest: 'stuck', until: failed },
    ],
  },
  {
    id: 'U13',
    title: 'what is installed is no longer in the catalog, and no update leads on',
    bundles,
    actions: [...start, publish({ stable: ['1.1.0'] }), { rest: 'stuck', until: failed }],
  },
  {
    id: 'U14',
    title: 'what is installed is no longer in the catalog, and an update leads on',
    bundles,
    actions: [
      ...start,
      publish({ stable: [{ version: '1.1.0', replaces: '1.0.0' }] }),
      { rest: 'moved', until: at('1.1.0') },
    ],
  },
  {
    id: 'U15',
    title: 'the catalogs are deleted: what is installed stays, and is still corrected',
    bundles,
    actions: [
      ...start,
      { withdraw: 'shop' },
      { rest: 'withdrawn', until: ['DeprecationStatusUnknown'] },
      { delete: { apiVersion: 'v1', kind: 'ConfigMap', name: 'settings', namespace: '$ns' } },
      { rest: 'corrected', until: settled },
      first,
      { rest: 'again', until: ['NotDeprecated'] },
    ],
  },
  {
    id: 'U16',
    title: 'another version is asked for after the catalogs were deleted',
    bundles,
    actions: [
      ...start,
      { withdraw: 'shop' },
      { rest: 'withdrawn', until: ['DeprecationStatusUnknown'] },
      change({ version: '1.1.0' }),
      { rest: 'refused', until: failed },
    ],
  },
  {
    id: 'U17',
    title: 'the version that is installed is asked for after the catalogs were deleted',
    bundles,
    actions: [
      ...start,
      { withdraw: 'shop' },
      { rest: 'withdrawn', until: ['DeprecationStatusUnknown'] },
      change({ version: '1.0.0' }),
      { rest: 'kept', until: settled },
    ],
  },
  {
    id: 'U18',
    title: 'the next version has no image: what is installed stays until there is one',
    bundles,
    actions: [
      ...start,
      publish(replaced, { images: { '1.1.0': 'missing' } }),
      { rest: 'failing', until: failed },
      publish(replaced),
      { rest: 'moved', until: at('1.1.0') },
    ],
  },
  {
    id: 'U19',
    title: 'the same version gets another image',
    bundles: { ...bundles, rebuilt: bundle('1.0.0', { extra: [configMap('settings', { version: 'rebuilt' })] }) },
    actions: [
      ...start,
      publish({ stable: ['1.0.0'] }, { images: { '1.0.0': 'rebuilt' } }),
      { rest: 'rebuilt', until: ['rebuilt', ...settled] },
    ],
  },
  {
    id: 'U20',
    title: 'objects that the next version does not have are deleted, and new ones are created',
    bundles: { ...bundles, '1.1.0': bundle('1.1.0', { extra: [configMap('other', { a: '1' })] }) },
    actions: [...start, publish(replaced), { rest: 'moved', until: at('1.1.0') }],
  },
  {
    id: 'U21',
    title: 'build metadata that differs needs an update that leads to it',
    bundles,
    actions: [...start, publish({ stable: ['1.0.0', '1.0.0+1'] }), { rest: 'stays', until: at('1.0.0') }],
  },
  {
    id: 'U22',
    title: 'the next version is invalid: what is installed stays',
    bundles: { ...bundles, '1.1.0': bundle('1.1.0', { extra: [configMap('Bad_Name', { a: '1' })] }) },
    actions: [...start, publish(replaced), { rest: 'failing', until: failed }],
  },
  {
    id: 'U23',
    title: 'an update with self-certified updates takes the newest of all',
    bundles,
    actions: [
      first,
      ask({ upgradeConstraintPolicy: 'SelfCertified' }),
      { rest: 'first', until: at('1.0.0') },
      publish({ stable: ['1.0.0', '2.0.0'] }),
      { rest: 'moved', until: at('2.0.0') },
    ],
  },
  {
    id: 'U24',
    title: 'what is installed is outside of a new range',
    bundles,
    actions: [...start, change({ version: '>=2.0.0' }), { rest: 'refused', until: failed }],
  },
  {
    id: 'U25',
    title: 'the controllers are restarted',
    bundles,
    actions: [...start, { restart: true }, publish(replaced), { rest: 'moved', until: at('1.1.0') }],
  },
];
