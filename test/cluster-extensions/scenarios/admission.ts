import type { JsonObject } from '../../../src/base/index.ts';
import { extension } from '../objects.ts';
import type { Action, Scenario } from '../scenario.ts';

function tries(id: string, title: string, all: Readonly<Record<string, JsonObject>>): Scenario {
  const actions = Object.entries(all).map(
    ([name, apply], index): Action => ({ try: name, apply: { ...apply, metadata: { name: `try-${index}` } } }),
  );
  return { id, title, actions: [...actions, { rest: 'tried' }] };
}

const catalog = (value: JsonObject): JsonObject => extension({ catalog: value });
const spec = (value: JsonObject): JsonObject => extension({ spec: value });
const versionsOf = (versions: readonly string[]): Record<string, JsonObject> =>
  Object.fromEntries(versions.map((version) => [version, catalog({ version })]));

export const scenarios: readonly Scenario[] = [
  tries(
    'A01',
    'versions that are accepted',
    versionsOf([
      '1',
      '1.2',
      '1.2.3',
      'v1.2.3',
      '>=1.0.0 <2.0.0',
      '1.x',
      '*',
      '~>1.2',
      '^0.0.3',
      '1.0.0 || 2.0.0',
      '1.0.0-rc.1',
      '1.0.0+5',
    ]),
  ),
  tries(
    'A02',
    'versions that are refused',
    versionsOf(['', 'latest', '1.2.3.4', '01.0.0', '>=', '1.0.0 &&', '1 - 2 - 3', `>=1.0.0 ${'<2.0.0 '.repeat(10)}`]),
  ),
  tries('A03', 'names of packages', {
    dotted: catalog({ packageName: 'some.package' }),
    upper: catalog({ packageName: 'Some' }),
    dashed: catalog({ packageName: '-some' }),
    long: catalog({ packageName: 'a'.repeat(254) }),
    empty: catalog({ packageName: '' }),
  }),
  tries('A04', 'channels', {
    dotted: catalog({ channels: ['1.1.x', 'stable-v1'] }),
    underscore: catalog({ channels: ['original_40'] }),
    many: catalog({ channels: Array.from({ length: 257 }, (_, index) => `c${index}`) }),
  }),
  tries('A05', 'places and accounts', {
    upper: spec({ namespace: 'Upper' }),
    dotted: spec({ namespace: 'a.b' }),
    long: spec({ namespace: 'a'.repeat(64) }),
    'no name': spec({ serviceAccount: {} }),
    'a bad name': spec({ serviceAccount: { name: 'Bad_Name' } }),
  }),
  tries('A06', 'sources', {
    'another type': spec({ source: { sourceType: 'Bundle', catalog: { packageName: 'tide' } } }),
    'no catalog': spec({ source: { sourceType: 'Catalog' } }),
    'no type': spec({ source: { catalog: { packageName: 'tide' } } }),
    'another policy': catalog({ upgradeConstraintPolicy: 'Ignore' }),
  }),
  tries('A07', 'how it is installed', {
    empty: spec({ install: {} }),
    'no check': spec({ install: { preflight: {} } }),
    'another value': spec({ install: { preflight: { crdUpgradeSafety: { enforcement: 'Sometimes' } } } }),
    'too soon': spec({ progressDeadlineMinutes: 9 }),
    'too late': spec({ progressDeadlineMinutes: 721 }),
  }),
  tries('A08', 'configurations', {
    'no values': spec({ config: { configType: 'Inline' } }),
    'empty values': spec({ config: { configType: 'Inline', inline: {} } }),
    'another type': spec({ config: { configType: 'Secret', inline: { a: 1 } } }),
    'a text': spec({ config: { configType: 'Inline', inline: 'a' } }),
  }),
];
