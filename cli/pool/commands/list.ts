import { openKube } from '../../client/index.ts';
import { type OptionValues, printDocument } from '../../command/index.ts';
import { ageOf, formatTable } from '../../output/index.ts';
import type { poolOptions } from '../options.ts';
import { conditionOf, progressText, readPools, type ShownPool } from '../read.ts';

const columns = ['NAME', 'UPDATED', 'UPDATING', 'DEGRADED', 'PAUSED', 'AGE', 'PROGRESS'];

function rowOf(shown: ShownPool): readonly string[] {
  const { metadata, spec } = shown.pool;
  const words = ['Updated', 'Updating', 'Degraded'].map((type) => conditionOf(shown, type).status);
  const age = ageOf(shown.object.metadata.creationTimestamp ?? '', Date.now());
  return [metadata.name, ...words, spec.paused === true ? 'True' : 'False', age, progressText(shown)];
}

/** `longshore pool list` */
export async function poolList(values: OptionValues<typeof poolOptions>): Promise<number> {
  using kube = await openKube(values);
  const pools = await readPools(kube);
  const objects = pools.map(({ object }) => object);
  printDocument(values, objects, () => (pools.length === 0 ? '' : formatTable(columns, pools.map(rowOf))));
  if (pools.length === 0 && values.output === 'text') process.stderr.write('the cluster has no pools of nodes\n');
  return 0;
}
