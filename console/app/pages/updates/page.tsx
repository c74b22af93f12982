import type { JSX } from 'preact';
import { texts } from '../../texts.ts';
import { Cluster } from './cluster.tsx';
import { Machines } from './machines.tsx';
import { Pools } from './pools.tsx';

/** The version of the cluster, its node pools and machines. */
export function Updates(): JSX.Element {
  return (
    <div class="stack">
      <h1>{texts.pages.updates}</h1>
      <Cluster />
      <Pools />
      <Machines />
    </div>
  );
}
