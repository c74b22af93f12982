import { keepHeapTight, type OptionValues } from '../../command/index.ts';

/** `longshore catalog serve DIR|FILE|REF|URL|-...` */
export async function catalogServe(values: OptionValues, names: readonly string[]): Promise<number> {
  // Before the rest is loaded, which alone would let the heap grow by more than serving needs.
  keepHeapTight();
  const { serveCatalogs } = await import('../serve/serve.ts');
  return await serveCatalogs(values, names);
}
