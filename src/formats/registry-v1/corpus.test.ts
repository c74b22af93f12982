import { deserialize, serialize } from 'node:v8';
import { describe, expect, test } from 'vitest';
import {
  corpusBundle,
  type ExpectedRenderings,
  expectedModes,
  expectedRenderings,
  hasCorpus,
  loadCanonical,
} from '../../../test/support/index.ts';
import { errorMessage } from '../../base/index.ts';
import { type AmendmentChoice, amendments } from './amendments/index.ts';
import { findCertificateProvider } from './certificates.ts';
import { readRegistryBundle } from './read.ts';
import type { RenderedObject } from './registry-bundle.ts';
import { registryV1 } from './registry-v1.ts';
import { type RenderOptions, renderBundle } from './render.ts';

/** An operator needs none. */
const noTools = undefined as never;

const canonical = hasCorpus ? await loadCanonical() : JSON.stringify;
const expected = expectedRenderings();

interface Outcome {
  readonly objects?: readonly string[];
  readonly error?: string;
}

function canonicalSet(objects: readonly (RenderedObject | object)[]): readonly string[] {
  return objects.map((object) => canonical(object as RenderedObject)).sort();
}

function optionsOf({ installNamespace, certProvider }: ExpectedRenderings, mode: string): RenderOptions {
  const certificates = findCertificateProvider(certProvider);
  return {
    installNamespace,
    targetNamespaces: expectedModes[mode] ?? [],
    ...(certificates === undefined ? {} : { certificates }),
  };
}

function outcomeOf(bundle: ReturnType<typeof readRegistryBundle>, options: RenderOptions): Outcome {
  try {
    return { objects: canonicalSet(renderBundle(bundle, options)) };
  } catch (thrown) {
    return { error: errorMessage(thrown) };
  }
}

/** Without a requested target all namespaces are watched where that is supported: both are the same question, and one of the renderings
 *  in the corpus shows what an earlier rendering of the same bundle left behind in memory. */
function acceptable({ renderings }: ExpectedRenderings, mode: string): readonly Outcome[] {
  const modes = mode === 'default' && renderings['all'] !== undefined ? ['default', 'all'] : [mode];
  return modes.map((name): Outcome => {
    const { objects, error } = renderings[name] ?? {};
    return objects === undefined ? { error: error ?? '' } : { objects: canonicalSet(objects) };
  });
}

describe.skipIf(!hasCorpus)('real bundles', () => {
  test('there are forty', () => {
    expect(expected).toHaveLength(40);
  });

  test.for(expected.map((one): [string, ExpectedRenderings] => [one.bundle, one]))(
    '%s is rendered as the reference does it, in every mode',
    ([, one]) => {
      const bundle = readRegistryBundle(corpusBundle(one.bundle));
      for (const mode of Object.keys(one.renderings)) {
        const outcome = outcomeOf(bundle, { ...optionsOf(one, mode), amendments: 'none' });
        const [first, ...others] = acceptable(one, mode);
        const match = others.find((other) => JSON.stringify(other) === JSON.stringify(outcome));
        expect(outcome, mode).toEqual(match ?? first);
      }
    },
  );

  test.for(expected.map((one): [string, ExpectedRenderings] => [one.bundle, one]))(
    '%s is rendered alike after it was stored as objects and restored',
    ([, one]) => {
      const { manifests = [], metadata } = corpusBundle(one.bundle);
      const reader = registryV1.begin('');
      for (const entry of manifests) reader.add('manifests', entry);
      for (const entry of metadata) reader.add('metadata', entry);
      const content = reader.finish(new Set(['manifests', 'metadata']));
      const restored = registryV1.restore(deserialize(serialize(content.parsed)));
      const cluster = { certificateProviders: ['self'], kubeVersion: 'v1.33.1' };
      const outcome = (of: typeof content): unknown => {
        try {
          return of.render({ config: {}, cluster }, noTools);
        } catch (thrown) {
          return errorMessage(thrown);
        }
      };
      expect(restored.objects).toStrictEqual(content.objects);
      expect(outcome(restored)).toStrictEqual(outcome(content));
    },
  );

  test.for(expected.map((one): [string, ExpectedRenderings] => [one.bundle, one]))(
    '%s: every difference from the reference is that of a named amendment',
    ([, one]) => {
      const bundle = readRegistryBundle(corpusBundle(one.bundle));
      const names = amendments.map(({ name }) => name);
      for (const mode of Object.keys(one.renderings)) {
        const render = (choice: AmendmentChoice): string =>
          JSON.stringify(outcomeOf(bundle, { ...optionsOf(one, mode), amendments: choice }));
        const base = render('none');
        const effective = names.filter((name) => render({ without: names.filter((other) => other !== name) }) !== base);
        expect(render({ without: effective }), `${mode}: all but ${effective.join(', ')}`).toBe(base);
      }
    },
  );
});
