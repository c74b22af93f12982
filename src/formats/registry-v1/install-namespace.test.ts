import { expect, test } from 'vitest';
import { acmeCsv, registryFiles } from '../../../test/support/index.ts';
import { defaultInstallNamespace, type SuggestedNamespace } from './install-namespace.ts';
import { readRegistryBundle } from './read.ts';

function suggested(annotations: Readonly<Record<string, string>>, packageName = 'acme-widget'): SuggestedNamespace {
  const bundle = readRegistryBundle(registryFiles([acmeCsv({}, { annotations })]));
  return defaultInstallNamespace({ ...bundle, packageName });
}

const nameKey = 'operatorframework.io/suggested-namespace';
const templateKey = 'operatorframework.io/suggested-namespace-template';

test('a template wins over a name, and a name over the package', () => {
  const template = JSON.stringify({
    kind: 'Namespace',
    metadata: { name: 'tide', labels: { a: 'b' }, annotations: { c: 'd' } },
  });
  expect(suggested({ [templateKey]: template, [nameKey]: 'other' })).toEqual({
    name: 'tide',
    labels: { a: 'b' },
    annotations: { c: 'd' },
  });
  expect(suggested({ [nameKey]: 'other' }).name).toBe('other');
  expect(suggested({}).name).toBe('acme-widget-system');
});

test.each([
  ['Acme.Widget', /^acme-widget-[0-9a-f]{6}-system$/],
  ['acme.widget', /^acme-widget-[0-9a-f]{6}-system$/],
  ['x'.repeat(100), /^x{49}-[0-9a-f]{6}-system$/],
  ['...', /^operator-[0-9a-f]{6}-system$/],
])('the package %s becomes a good name', (packageName, pattern) => {
  const { name } = suggested({}, packageName);
  expect(name).toMatch(pattern);
  expect(name.length).toBeLessThanOrEqual(63);
});

test('two packages do not share a namespace', () => {
  expect(suggested({}, 'a.b').name).not.toBe(suggested({}, 'a_b').name);
});

test.each(['{', '{}', '{"metadata":{"name":""}}'])('the template %s is refused', (template) => {
  expect(() => suggested({ [templateKey]: template })).toThrow(
    /the annotation operatorframework.io\/suggested-namespace-template/,
  );
});
