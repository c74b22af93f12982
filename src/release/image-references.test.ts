import { expect, test } from 'vitest';
import { componentVersions, type ReleaseImage } from './image-references.ts';

const imageWith = (versions: string): ReleaseImage => ({
  name: 'x',
  from: 'x',
  annotations: { 'io.openshift.build.versions': versions },
});

test('versions of parts are read from all images; of several the first one counts, and what is no pair is left out', () => {
  const images = [imageWith('machine-os=42, kubernetes=1.35.0'), imageWith('kubernetes=1.34.0,=1,'), imageWith('')];
  expect([...componentVersions({ name: '4.22.0', images })]).toEqual([
    ['kubernetes', '1.35.0'],
    ['machine-os', '42'],
  ]);
});
