import { expect, test } from 'vitest';
import { certificateProviderNames } from '../../src/formats/index.ts';
import { renderOptions } from './render-options.ts';

test('every provider of certificates can be chosen', () => {
  expect(renderOptions['cert-provider'].choices).toEqual([...certificateProviderNames, 'none']);
});
