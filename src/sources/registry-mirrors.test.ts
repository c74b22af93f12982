import { expect, test } from 'vitest';
import { pullPlaces, type RegistryMirror } from './registry-mirrors.ts';

const digest = `sha256:${'0'.repeat(64)}`;

function entry(source: string, mirrors: readonly string[], rest: Partial<RegistryMirror> = {}): RegistryMirror {
  return { appliesTo: 'digest', source, mirrors, mayContactSource: true, ...rest };
}

const config: readonly RegistryMirror[] = [
  entry('quay.io', ['m.local']),
  entry('quay.io/team', ['m.local/quay-team', 'n.local:5000/team'], { mayContactSource: false }),
  entry('quay.io/team/app', ['m.local/app']),
  entry('*.example.com', ['m.local/example']),
  entry('*.b.example.com', ['m.local/b']),
  entry('registry.example.com', ['m.local/exact']),
  entry('docker.io', ['m.local/hub'], { appliesTo: 'tag' }),
];

test.each([
  { name: 'the registry of a source', image: 'quay.io other/app', places: ['m.local/other/app', 'quay.io/other/app'] },
  {
    name: 'a path, and the source must not be contacted',
    image: 'quay.io team/deep/tool',
    places: ['m.local/quay-team/deep/tool', 'n.local:5000/team/deep/tool'],
  },
  { name: 'a repository', image: 'quay.io team/app', places: ['m.local/app', 'quay.io/team/app'] },
  {
    name: 'what lies under a repository',
    image: 'quay.io team/app/x',
    places: ['m.local/app/x', 'quay.io/team/app/x'],
  },
  {
    name: 'names that only begin alike',
    image: 'quay.io team/apple',
    places: ['m.local/quay-team/apple', 'n.local:5000/team/apple'],
  },
  { name: 'another port', image: 'quay.io:8443 team/app', places: ['quay.io:8443/team/app'] },
  { name: 'a host of a domain', image: 'a.example.com x', places: ['m.local/example/x', 'a.example.com/x'] },
  { name: 'with its port', image: 'a.example.com:5000 x', places: ['m.local/example/x', 'a.example.com:5000/x'] },
  { name: 'a host of a part of the domain', image: 'a.b.example.com x', places: ['m.local/b/x', 'a.b.example.com/x'] },
  {
    name: 'a host that is named itself',
    image: 'registry.example.com x',
    places: ['m.local/exact/x', 'registry.example.com/x'],
  },
  { name: 'the domain itself, which a wildcard does not name', image: 'example.com x', places: ['example.com/x'] },
  { name: 'a host that only ends alike', image: 'badexample.com x', places: ['badexample.com/x'] },
  { name: 'a registry with a mirror for tags alone', image: 'docker.io library/x', places: ['docker.io/library/x'] },
])('a digest is looked for by $name', ({ image, places }) => {
  const [registry = '', repository = ''] = image.split(' ');
  const found = pullPlaces(config, { registry, repository, digest });
  expect(found.map((place) => `${place.registry}/${place.repository}`)).toEqual(places);
});

test('a tag is looked for in the mirrors for tags', () => {
  expect(pullPlaces(config, { registry: 'docker.io', repository: 'library/x' })).toEqual([
    { registry: 'm.local', repository: 'hub/library/x', mirror: 'm.local/hub' },
    { registry: 'docker.io', repository: 'library/x' },
  ]);
  expect(pullPlaces(config, { registry: 'quay.io', repository: 'team/app' })).toEqual([
    { registry: 'quay.io', repository: 'team/app' },
  ]);
});

test('a source without mirrors that must not be contacted leaves no place', () => {
  const barred = [entry('quay.io', [], { mayContactSource: false })];
  expect(pullPlaces(barred, { registry: 'quay.io', repository: 'x', digest })).toEqual([]);
});
