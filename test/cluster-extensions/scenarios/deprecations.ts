import { bundle, catalogChange, catalogOf, extension, extensionTarget, settled } from '../objects.ts';
import type { Action, Scenario } from '../scenario.ts';

const bundles = { '1.0.0': bundle('1.0.0'), '1.1.0': bundle('1.1.0') };
const line = { stable: ['1.0.0', { version: '1.1.0', replaces: '1.0.0' }], old: ['1.0.0'] } as const;
const at = (version: string): readonly string[] => [`"tide.v${version}"`, ...settled];

interface Entry {
  readonly of: string;
  readonly name?: string;
  readonly message: string;
}
const publish = (
  deprecations: readonly Entry[],
  channels: Parameters<typeof catalogOf>[0]['channels'] = line,
): Action => ({
  publish: 'shop',
  catalog: catalogOf({ channels, deprecations }),
});
const ofPackage: Entry = { of: 'package', message: 'the package is old' };
const ofStable: Entry = { of: 'channel', name: 'stable', message: 'stable is old' };
const ofOld: Entry = { of: 'channel', name: 'old', message: 'old is older' };
const ofFirst: Entry = { of: 'bundle', name: 'tide.v1.0.0', message: 'use 1.1.0' };
const ofSecond: Entry = { of: 'bundle', name: 'tide.v1.1.0', message: 'use 1.0.0' };

function installed(
  id: string,
  title: string,
  {
    entries,
    catalog = {},
    version = '1.1.0',
  }: { readonly entries: readonly Entry[]; readonly catalog?: object; readonly version?: string },
): Scenario {
  return {
    id,
    title,
    bundles,
    actions: [
      publish(entries),
      { apply: extension({ catalog: catalog as never }) },
      { rest: 'installed', until: at(version) },
    ],
  };
}

export const scenarios: readonly Scenario[] = [
  installed('D01', 'the package is deprecated', { entries: [ofPackage] }),
  installed('D02', 'a channel is deprecated, and none is asked for', { entries: [ofOld] }),
  installed('D03', 'the channel that is asked for is deprecated', {
    entries: [ofStable],
    catalog: { channels: ['stable'] },
  }),
  installed('D04', 'another channel than the one that is asked for is deprecated', {
    entries: [ofOld],
    catalog: { channels: ['stable'] },
  }),
  installed('D05', 'the newest bundle is deprecated: the one before is chosen', {
    entries: [ofSecond],
    version: '1.0.0',
  }),
  installed('D06', 'all bundles are deprecated: the newest is chosen', { entries: [ofFirst, ofSecond] }),
  installed('D07', 'a deprecated bundle is pinned', { entries: [ofSecond], catalog: { version: '1.1.0' } }),
  installed('D08', 'everything is deprecated', { entries: [ofFirst, ofStable, ofSecond, ofOld, ofPackage] }),
  installed('D09', 'another bundle than the installed one is deprecated', { entries: [ofFirst] }),
  installed('D10', 'a deprecation without a message', { entries: [{ of: 'package', message: '' }] }),
  {
    id: 'D11',
    title: 'what is installed becomes deprecated, then it is not any more',
    bundles,
    actions: [
      publish([], { stable: ['1.0.0'] }),
      { apply: extension() },
      { rest: 'installed', until: at('1.0.0') },
      publish([ofFirst], { stable: ['1.0.0'] }),
      { rest: 'deprecated', until: ['use 1.1.0'] },
      publish([], { stable: ['1.0.0'] }),
      { rest: 'sound', until: ['bundle not deprecated'] },
    ],
  },
  {
    id: 'D12',
    title: 'an update leads from a deprecated bundle to one that is not',
    bundles,
    actions: [
      publish([ofFirst], { stable: ['1.0.0'] }),
      { apply: extension() },
      { rest: 'deprecated', until: at('1.0.0') },
      publish([ofFirst]),
      { rest: 'moved', until: at('1.1.0') },
    ],
  },
  {
    id: 'D13',
    title: 'nothing can be chosen from a deprecated package',
    bundles,
    actions: [
      publish([ofPackage]),
      { apply: extension({ catalog: { version: '9.0.0' } }) },
      { rest: 'none', until: ['Retrying'] },
    ],
  },
  {
    id: 'D14',
    title: 'a deprecated bundle cannot be installed',
    bundles: {},
    actions: [
      publish([ofFirst, ofPackage], { stable: ['1.0.0'] }),
      { apply: extension() },
      { rest: 'failing', until: ['error for resolved bundle'] },
    ],
  },
  {
    id: 'D15',
    title: 'the channels that are asked for change',
    bundles,
    actions: [
      publish([ofStable, ofOld]),
      { apply: extension({ catalog: { channels: ['stable'], version: '1.0.0' } }) },
      { rest: 'stable', until: at('1.0.0') },
      { patch: extensionTarget(), merge: catalogChange({ channels: ['old'] }) },
      { rest: 'old', until: ['old is older'] },
    ],
  },
];
