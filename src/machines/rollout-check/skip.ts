import { type MachineConfigPool, nodeUpdateAnnotations } from '../../api/index.ts';

/** The gates without which the update to the present configuration goes on, as an administrator has requested: an annotation of the pool. */
export function skippedGates({ metadata, spec }: MachineConfigPool): ReadonlySet<string> {
  const text = metadata.annotations?.[nodeUpdateAnnotations.skipGates] ?? '';
  const [configuration, ...gates] = text.split(/[\s,]+/).filter(Boolean);
  const target = spec.configuration?.name ?? '';
  return new Set(target !== '' && configuration === target ? gates : []);
}

/** The annotation that adds a gate to those that are skipped. */
export function withSkippedGate(pool: MachineConfigPool, gate: string): string {
  const gates = new Set([...skippedGates(pool), gate]);
  return [pool.spec.configuration?.name ?? '', ...gates].join(' ');
}
