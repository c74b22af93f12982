import { expect, test } from 'vitest';
import { provisionerClass } from './provisioner-class.ts';

const field = 'spec.provisionerClassName';

test.each(['core-rukpak-io-plain', 'core-rukpak-io-registry', 'example-com-ours'])(
  'reports nothing about %s',
  (className) => {
    expect(provisionerClass([{ field, after: className }], ['example-com-ours'])).toEqual({
      denials: [],
      warnings: [],
    });
  },
);

test('warns of a class that no known provisioner serves, and never refuses it', () => {
  const { denials, warnings } = provisionerClass([{ field, after: 'core-rukpak-io-plian' }], ['example-com-ours']);
  expect(denials).toEqual([]);
  expect(warnings).toEqual([
    'spec.provisionerClassName: no provisioner is known that serves the class "core-rukpak-io-plian"; known: core-rukpak-io-plain, core-rukpak-io-registry, core-rukpak-io-helm, example-com-ours',
  ]);
});
