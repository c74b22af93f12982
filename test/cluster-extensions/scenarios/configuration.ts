import type { JsonObject } from '../../../src/base/index.ts';
import { bundle, catalogOf, extension, extensionTarget, settled } from '../objects.ts';
import type { Action, Scenario } from '../scenario.ts';

const failed: readonly string[] = ['InvalidConfiguration'];
const offer: Action = { publish: 'shop', catalog: catalogOf({ channels: { stable: ['1.0.0'] } }) };

const asked = (inline?: JsonObject): JsonObject =>
  extension(inline === undefined ? {} : { spec: { config: { configType: 'Inline', inline } } });

/** One configuration of an operator that supports these install modes. */
function configured(
  id: string,
  title: string,
  options: { modes: string; inline?: JsonObject; until?: readonly string[] },
): Scenario {
  return {
    id,
    title,
    bundles: { '1.0.0': bundle('1.0.0', { modes: options.modes }) },
    namespaces: ['other'],
    actions: [offer, { apply: asked(options.inline) }, { rest: 'asked', until: options.until ?? settled }],
  };
}

export const scenarios: readonly Scenario[] = [
  configured('F01', 'own namespace only, without a configuration', { modes: 'O', until: failed }),
  configured('F02', 'own namespace only, with that namespace', { modes: 'O', inline: { watchNamespace: '$ns' } }),
  configured('F03', 'own namespace only, with another one', {
    modes: 'O',
    inline: { watchNamespace: '$ns-other' },
    until: failed,
  }),
  configured('F04', 'a single namespace only, with another one', {
    modes: 'S',
    inline: { watchNamespace: '$ns-other' },
  }),
  configured('F05', 'a single namespace only, with its own', {
    modes: 'S',
    inline: { watchNamespace: '$ns' },
    until: failed,
  }),
  configured('F06', 'all and own, without a configuration', { modes: 'AO' }),
  configured('F07', 'all and own, with its own', { modes: 'AO', inline: { watchNamespace: '$ns' } }),
  configured('F08', 'all namespaces only, with one', { modes: 'A', inline: { watchNamespace: '$ns' }, until: failed }),
  configured('F09', 'an unknown field', {
    modes: 'AO',
    inline: { watchNamespace: '$ns', colour: 'red' },
    until: failed,
  }),
  configured('F10', 'a number for a namespace', { modes: 'AO', inline: { watchNamespace: 1 }, until: failed }),
  configured('F11', 'a namespace that is too long', {
    modes: 'S',
    inline: { watchNamespace: 'a'.repeat(64) },
    until: failed,
  }),
  configured('F12', 'a namespace that is none', { modes: 'S', inline: { watchNamespace: 'Bad_Name' }, until: failed }),
  configured('F13', 'an empty namespace', { modes: 'S', inline: { watchNamespace: '' }, until: failed }),
  configured('F14', 'environment variables of the operator', {
    modes: 'A',
    inline: { deploymentConfig: { env: [{ name: 'LEVEL', value: 'debug' }] } },
  }),
  configured('F15', 'resources of the operator', {
    modes: 'A',
    inline: { deploymentConfig: { resources: { limits: { memory: '64Mi' } } } },
  }),
  configured('F16', 'an unknown field of the configuration of Deployments', {
    modes: 'A',
    inline: { deploymentConfig: { colour: 'red' } },
    until: failed,
  }),
  {
    id: 'F17',
    title: 'a configuration is changed and removed',
    bundles: { '1.0.0': bundle('1.0.0', { modes: 'AOS' }) },
    namespaces: ['other'],
    actions: [
      offer,
      { apply: asked({ watchNamespace: '$ns' }) },
      { rest: 'own', until: settled },
      { patch: extensionTarget(), merge: { spec: { config: { inline: { watchNamespace: '$ns-other' } } } } },
      { rest: 'single', until: settled },
      { patch: extensionTarget(), merge: { spec: { config: null } } },
      { rest: 'all', until: settled },
    ],
  },
  {
    id: 'F18',
    title: 'an installed extension gets an invalid configuration, which is corrected',
    bundles: { '1.0.0': bundle('1.0.0', { modes: 'AO' }) },
    actions: [
      offer,
      { apply: asked() },
      { rest: 'installed', until: settled },
      { patch: extensionTarget(), merge: { spec: { config: { configType: 'Inline', inline: { colour: 'red' } } } } },
      { rest: 'invalid', until: failed },
      { patch: extensionTarget(), merge: { spec: { config: null } } },
      { rest: 'corrected', until: settled },
    ],
  },
  configured('F19', 'no namespace by null', { modes: 'AO', inline: { watchNamespace: null as never } }),
  configured('F20', 'fields that name another account or place', {
    modes: 'AO',
    inline: { serviceAccount: { namespace: 'kube-system', name: 'default' } },
    until: failed,
  }),
];
