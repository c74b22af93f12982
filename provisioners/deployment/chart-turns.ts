import { ReconcileTurns, type ReconcileTurnsOptions } from '../../src/controller/index.ts';

/** Each may take hundreds of mebibytes of memory, and seconds of processor time. */
const chartsAtATime = 2;

export interface ChartTurnsOptions extends Pick<ReconcileTurnsOptions, 'request' | 'promptMs'> {
  readonly workers: number;
}

/** The turns of deployments whose charts are rendered; a worker is left for those without charts. */
export class ChartTurns extends ReconcileTurns {
  constructor({ workers, ...options }: ChartTurnsOptions) {
    const atATime = Math.max(1, Math.min(chartsAtATime, workers - 1));
    super({ ...options, atATime, reason: 'OtherChartsFirst', others: 'other charts are rendered' });
  }
}
