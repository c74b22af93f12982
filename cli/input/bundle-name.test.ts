import { expect, test } from 'vitest';
import { readBundleName } from './bundle-name.ts';

const digest = `sha256:${'0'.repeat(64)}`;

test.each([
  { word: '-', place: { kind: 'standard input' } },
  { word: './absent', place: { kind: 'path', path: './absent' } },
  { word: 'absent/', place: { kind: 'path', path: 'absent/' } },
  { word: 'package.json', place: { kind: 'path', path: 'package.json' } },
  { word: 'absent', place: { kind: 'image', ref: 'absent', isGuess: true } },
  { word: 'absent.tar', place: { kind: 'image', ref: 'absent.tar', isGuess: true } },
  { word: 'tide/gauge', place: { kind: 'image', ref: 'tide/gauge', isGuess: true } },
  { word: 'tide.example/gauge:v1', place: { kind: 'image', ref: 'tide.example/gauge:v1', isGuess: false } },
  { word: 'localhost:5000/x', place: { kind: 'image', ref: 'localhost:5000/x', isGuess: false } },
  { word: `tide.example/x@${digest}`, place: { kind: 'image', ref: `tide.example/x@${digest}`, isGuess: false } },
  { word: `x@${digest}`, place: { kind: 'image', ref: `x@${digest}`, isGuess: true } },
  { word: 'oci://tide.example/x', place: { kind: 'image', ref: 'tide.example/x', isGuess: false } },
  { word: 'docker://tide.example/x:v1', place: { kind: 'image', ref: 'tide.example/x:v1', isGuess: false } },
])('$word is a $place.kind', ({ word, place }) => {
  expect(readBundleName(word)).toEqual(place);
});

test.each([
  { word: '', text: 'the name of a bundle is empty' },
  { word: 'file:///tmp/x', text: 'is an address of a file: write its path' },
  { word: 'git@tide.example:gauge', text: 'clone it' },
  { word: 'ssh://git@tide.example/gauge', text: 'clone it' },
  { word: 'git+https://tide.example/gauge', text: 'clone it' },
  { word: 'https://tide.example/gauge.git#v1', text: 'clone it' },
  { word: 'https://tide.example/gauge.tgz', text: 'curl -sL ADDRESS | longshore bundle' },
  { word: 's3://tide/gauge', text: 'has a scheme that is not known' },
])('"$word" is refused with what helps', ({ word, text }) => {
  expect(() => readBundleName(word)).toThrow(text);
});

test('a password in an address is not repeated', () => {
  expect(() => readBundleName('https://user:secret@tide.example/x')).toThrow(/^(?!.*secret)/);
});
