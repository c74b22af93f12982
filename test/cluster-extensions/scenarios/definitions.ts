import type { JsonObject } from '../../../src/base/index.ts';
import { bundle, catalogOf, extension, extensionTarget, sampleCrd, settled } from '../objects.ts';
import type { Action, Scenario } from '../scenario.ts';

interface Version {
  readonly name: string;
  readonly schema: JsonObject;
  readonly isServed?: boolean;
}

function definition(versions: readonly Version[], options: Parameters<typeof sampleCrd>[1] = {}): JsonObject {
  const { status: _status, ...crd } = sampleCrd(versions as never, options);
  return crd;
}

const objectOf = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties: { spec: { type: 'object', properties, ...more } },
});
const text = { type: 'string' };
const v1 = { name: 'v1', schema: objectOf({ colour: text }) };
const line = { stable: ['1.0.0', { version: '1.1.0', replaces: '1.0.0' }] } as const;
const first: Action = { publish: 'shop', catalog: catalogOf({ channels: { stable: ['1.0.0'] } }) };
const second: Action = { publish: 'shop', catalog: catalogOf({ channels: line }) };
const at = (version: string): readonly string[] => [`"tide.v${version}"`, ...settled];
const refused: readonly string[] = ['error for resolved bundle'];
const enforcement = (value: string): JsonObject => ({
  install: { preflight: { crdUpgradeSafety: { enforcement: value } } },
});

/** An update of an operator whose definition changes. */
function update(
  id: string,
  title: string,
  change: { before?: JsonObject; after: JsonObject; spec?: JsonObject; until?: readonly string[] },
): Scenario {
  const { before = definition([v1]), after, spec = {}, until = refused } = change;
  return {
    id,
    title,
    bundles: { '1.0.0': bundle('1.0.0', { extra: [before] }), '1.1.0': bundle('1.1.0', { extra: [after] }) },
    actions: [
      first,
      { apply: extension({ spec }) },
      { rest: 'first', until: at('1.0.0') },
      second,
      { rest: 'updated', until },
    ],
  };
}

export const scenarios: readonly Scenario[] = [
  update('K01', 'a field is added', {
    after: definition([{ name: 'v1', schema: objectOf({ colour: text, size: text }) }]),
    until: at('1.1.0'),
  }),
  update('K02', 'a field is removed', { after: definition([{ name: 'v1', schema: objectOf({}) }]) }),
  update('K03', 'a field becomes required', {
    after: definition([{ name: 'v1', schema: objectOf({ colour: text }, { required: ['colour'] }) }]),
  }),
  update('K04', 'the type of a field changes', {
    after: definition([{ name: 'v1', schema: objectOf({ colour: { type: 'integer' } }) }]),
  }),
  update('K05', 'an enumeration is narrowed', {
    before: definition([{ name: 'v1', schema: objectOf({ colour: { ...text, enum: ['red', 'blue'] } }) }]),
    after: definition([{ name: 'v1', schema: objectOf({ colour: { ...text, enum: ['red'] } }) }]),
  }),
  update('K06', 'the scope changes', { after: definition([v1], { scope: 'Cluster' }) }),
  update('K07', 'a version that is stored is removed', { after: definition([{ ...v1, name: 'v2' }]) }),
  update('K08', 'a version is added', { after: definition([v1, { ...v1, name: 'v2' }]), until: at('1.1.0') }),
  update('K09', 'a field is removed, and the check is switched off', {
    after: definition([{ name: 'v1', schema: objectOf({}) }]),
    spec: enforcement('None'),
    until: at('1.1.0'),
  }),
  update('K10', 'a field is removed, and the check is asked for', {
    after: definition([{ name: 'v1', schema: objectOf({}) }]),
    spec: enforcement('Strict'),
  }),
  update('K11', 'a maximum is lowered', {
    before: definition([{ name: 'v1', schema: objectOf({ size: { type: 'integer', maximum: 9 } }) }]),
    after: definition([{ name: 'v1', schema: objectOf({ size: { type: 'integer', maximum: 5 } }) }]),
  }),
  {
    id: 'K12',
    title: 'the check is switched off after a refusal',
    bundles: {
      '1.0.0': bundle('1.0.0', { extra: [definition([v1])] }),
      '1.1.0': bundle('1.1.0', { extra: [definition([{ name: 'v1', schema: objectOf({}) }])] }),
    },
    actions: [
      first,
      { apply: extension() },
      { rest: 'first', until: at('1.0.0') },
      second,
      { rest: 'refused', until: refused },
      { patch: extensionTarget(), merge: { spec: enforcement('None') } },
      { rest: 'updated', until: at('1.1.0') },
    ],
  },
];
