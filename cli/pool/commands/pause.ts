import { openKube } from '../../client/index.ts';
import { type OptionValues, printDocument } from '../../command/index.ts';
import type { poolOptions } from '../options.ts';
import { progressText, readPool, setPaused } from '../read.ts';

type Values = OptionValues<typeof poolOptions>;

/** `longshore pool pause NAME` */
export async function poolPause(values: Values, [name]: readonly [string]): Promise<number> {
  using kube = await openKube(values);
  const object = await setPaused(kube, name, true);
  const text = progressText(await readPool(kube, name));
  printDocument(values, object, () => `pool ${name} is paused: ${text}; nodes that were started go on\n`);
  return 0;
}

/** `longshore pool resume NAME` */
export async function poolResume(values: Values, [name]: readonly [string]): Promise<number> {
  using kube = await openKube(values);
  const object = await setPaused(kube, name, false);
  const text = progressText(await readPool(kube, name));
  printDocument(values, object, () => `pool ${name} is resumed: ${text}\n`);
  return 0;
}
