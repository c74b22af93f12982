import { expect, test } from 'vitest';
import { certificateProviderNames } from '../../src/formats/index.ts';
import { renderOptions } from './render-options.ts';

test('every provider of certificates can be chosen', () => {
  const option = renderOptions.find(({ name }) => name === 'cert-provider');
  expect(option?.choices).toEqual([...certificateProviderNames, 'none']);
});
