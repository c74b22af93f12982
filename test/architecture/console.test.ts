import { join } from 'node:path';
import { expect, test } from 'vitest';
import { filesOf } from './files.ts';

const sources = filesOf('console/app/**/*.ts', 'console/app/**/*.tsx', 'console/app/*.ts', 'console/app/*.tsx');

test('pages import of the rest of the repository the types that they exchange with the server, and nothing else', () => {
  const imports = sources.flatMap(({ path, text }) =>
    [...text.matchAll(/^import (type )?[^;]*? from '(\.[^']+)';/gms)].map(([, type, from = '']) => ({
      path,
      isType: type !== undefined,
      to: join(path, '..', from),
    })),
  );
  expect(imports.length).toBeGreaterThan(100);
  const outside = imports.filter(({ to }) => !to.startsWith('console/app/'));
  const offences = outside.filter(({ isType, to }) => !isType || to !== 'console/server/wire.ts');
  expect(offences).toEqual([]);
});

test('pages never write HTML of others, nor evaluate texts', () => {
  const dangerous =
    /dangerouslySetInnerHTML|\.innerHTML|\.outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/;
  expect(sources.filter(({ text }) => dangerous.test(text)).map(({ path }) => path)).toEqual([]);
});
