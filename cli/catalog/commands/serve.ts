import { keepHeapTight, type OptionValues, type processLogOption, type registryOptions } from '../../command/index.ts';
import type { serveOptions } from '../serve/options.ts';

type Values = OptionValues<typeof serveOptions & typeof processLogOption & typeof registryOptions>;

/** `longshore catalog serve DIR|FILE|REF|URL|-...` */
export async function catalogServe(values: Values, names: readonly string[]): Promise<number> {
  // Before the rest is loaded, which alone would let the heap grow by more than serving needs.
  keepHeapTight();
  const { serveCatalogs } = await import('../serve/serve.ts');
  return await serveCatalogs(values, names);
}
