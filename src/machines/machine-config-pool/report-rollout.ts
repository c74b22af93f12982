import type { JsonObject } from '../../base/index.ts';
import { type PoolRun, targetOf } from './context.ts';
import { type Hold, type HoldKind, holdReasons, holdStatus } from './hold.ts';

const type = 'RolloutHeld';
/** What does not pass by itself. */
const warned: readonly HoldKind[] = ['budgets', 'check', 'etcd'];

/** The condition of a pool that is held; False where it was. Its time is that since which the gate has held. */
function reportHold(run: PoolRun, hold: Hold | undefined): JsonObject {
  const { pool, context, status } = run;
  if (hold === undefined) {
    const hasCondition = pool.status?.conditions?.some((condition) => condition.type === type) === true;
    if (hasCondition) status.set(run, [{ type, status: 'False', reason: 'NotHeld', message: '' }]);
    return {};
  }
  const { held, isFresh } = holdStatus(hold, pool, context.clock.now());
  const { message } = held;
  status.set(run, [{ type, status: 'True', reason: holdReasons[hold.kind], message, isFresh }]);
  if (isFresh) status.event({ type: warned.includes(hold.kind) ? 'Warning' : 'Normal', reason: type, message });
  return { hold: { ...held } };
}

/** What only pools have that are held, or have a canary: its state, and since when which gate holds the update. */
export function reportRollout(run: PoolRun): void {
  const { pool, hold, canary, status } = run;
  const ofCanary = canary?.status === undefined ? {} : { canary: canary.status as unknown as JsonObject };
  const parts = { ...reportHold(run, hold), ...ofCanary };
  const isEmpty = Object.keys(parts).length === 0;
  if (isEmpty && pool.status?.rollout === undefined) return;
  status.setFields(run, { rollout: isEmpty ? null : { configuration: targetOf(pool), ...parts } });
}
