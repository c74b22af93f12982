import type { ClusterServiceVersionPhase, ClusterServiceVersionReason } from '../../api/index.ts';
import { type Decision, firstOf, move, type Row } from './decision.ts';
import type { InstallCheck } from './facts.ts';

/** Phase and reason for what is not installed completely; they depend on the phase before. */
export interface Fallback {
  readonly phase: ClusterServiceVersionPhase;
  readonly reason: ClusterServiceVersionReason;
}

interface CheckFacts extends InstallCheck {
  readonly fallback: Fallback;
}

const disruptionMs = 10_000;

function fallBack({ fallback }: CheckFacts, message: string): Decision {
  return move(fallback.phase, fallback.reason, message);
}

const rows: readonly Row<CheckFacts>[] = [
  {
    id: 'I1',
    decide: (facts) =>
      [facts.strategy, facts.apiServices, facts.webhooks].every(({ state }) => state === 'Healthy')
        ? move('Succeeded', 'InstallSucceeded', 'install strategy completed with no errors')
        : undefined,
  },
  {
    id: 'I2',
    decide: ({ isServerUnavailable = false }) =>
      isServerUnavailable ? { kind: 'Stay', problem: 'the API server is not available' } : undefined,
  },
  {
    id: 'I3',
    decide: ({ strategy }) =>
      strategy.state === 'Unrecoverable'
        ? move('Failed', 'InstallCheckFailed', `install failed: ${strategy.message}`)
        : undefined,
  },
  {
    id: 'I4',
    decide: ({ apiServices }) =>
      apiServices.state === 'Disrupted' ? { kind: 'Stay', afterMs: disruptionMs } : undefined,
  },
  {
    id: 'I5',
    decide: ({ apiServices }) =>
      apiServices.state === 'Failed'
        ? move('Failed', 'APIServiceInstallFailed', `APIService install failed: ${apiServices.message}`)
        : undefined,
  },
  {
    id: 'I6',
    decide: (facts) =>
      facts.apiServices.state === 'NotInstalled' ? fallBack(facts, 'apiServices not installed') : undefined,
  },
  {
    id: 'I7',
    decide: ({ webhooks, fallback }) =>
      webhooks.state === 'Failed'
        ? move('InstallReady', fallback.reason, `Webhook install failed: ${webhooks.message}`)
        : undefined,
  },
  {
    id: 'I8',
    decide: (facts) => (facts.webhooks.state === 'Healthy' ? undefined : fallBack(facts, 'webhooks not installed')),
  },
  {
    id: 'I9',
    decide: ({ strategy, fallback }) =>
      strategy.state === 'Outdated'
        ? move('InstallReady', fallback.reason, `installing: ${strategy.message}`)
        : undefined,
  },
  {
    id: 'I10',
    decide: (facts) =>
      facts.strategy.state === 'Waiting' ? fallBack(facts, `installing: ${facts.strategy.message}`) : undefined,
  },
];

/** Rows I1 to I10: whether everything is installed, and otherwise what follows.
 *  @see docs/spec/olm-v0.md#state-machine */
export function checkInstall(check: InstallCheck, fallback: Fallback): Decision {
  return firstOf(rows, { ...check, fallback }).decision;
}
