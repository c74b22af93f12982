import { expect, test } from 'vitest';
import { changedWrittenAnnotations, writtenAnnotations } from './written-annotations.ts';

const version = 'olm.operatorframework.io/bundle-version';
const withVersion = { metadata: { annotations: { [version]: '1.0.0', mine: 'a' } } };

test.each([
  ['one that is changed', { [version]: '2.0.0', mine: 'a' }, [version]],
  ['one that is removed', { mine: 'a' }, [version]],
  [
    'one that is added',
    { [version]: '1.0.0', 'core.rukpak.io/bundle-properties': '[]' },
    ['core.rukpak.io/bundle-properties'],
  ],
  [
    'what it needs',
    { [version]: '1.0.0', mine: 'a', 'core.rukpak.io/dependencies': '[]' },
    ['core.rukpak.io/dependencies'],
  ],
  ['those of others', { [version]: '1.0.0', mine: 'b' }, []],
])('finds %s', (_name, annotations, changed) => {
  expect(changedWrittenAnnotations(withVersion, { metadata: { annotations } })).toEqual(changed);
});

test('the message names the annotations and what to do instead', () => {
  expect(writtenAnnotations([version], true).denials).toEqual([]);
  const [denial] = writtenAnnotations([version], false).denials;
  expect(JSON.stringify(denial)).toContain(
    `metadata.annotations: ${version}: written by the controllers alone; to change what is installed, change the BundleDeployment or ClusterExtension`,
  );
});
