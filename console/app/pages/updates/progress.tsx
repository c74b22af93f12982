import type { JSX } from 'preact';
import type { CommandResult } from '../../../server/wire.ts';
import { runCommand } from '../../lib/api.ts';
import { useLoad } from '../../lib/load.ts';
import { setQuery, usePlace } from '../../lib/router.ts';
import { texts } from '../../texts.ts';
import { Icon, type IconName } from '../../ui/icon.tsx';
import { Ago, CommandLine, Panel } from '../../ui/parts.tsx';
import type { Blocker, ClusterVersion, Level, Progress } from './cluster-version.ts';

type LevelState = 'done' | 'running' | 'waiting' | 'failed' | 'idle';

const levelIcons: Readonly<Record<LevelState, IconName>> = {
  done: 'healthy',
  running: 'loading',
  waiting: 'clock',
  failed: 'failed',
  idle: 'unknown',
};

/** Of the levels that are not done, those with work done and the first one are at work. */
function stateOf(level: Level, isFirst: boolean, { blockers = [], waitingFor = [] }: Progress): LevelState {
  if (level.done >= level.total) return 'done';
  if (!isFirst && level.done === 0) return 'idle';
  if (blockers.length > 0) return 'failed';
  return waitingFor.length > 0 ? 'waiting' : 'running';
}

/** The run levels of the release, a button each that shows its components. */
function Strip({ progress }: { readonly progress: Progress }): JSX.Element {
  const { query } = usePlace();
  const levels = progress.levels ?? [];
  const first = levels.find(({ done, total }) => done < total);
  const shown = levels.find(({ level }) => level === query.get('level')) ?? first ?? levels.at(-1);
  return (
    <div class="body stack">
      <ol class="levels" aria-label={texts.updates.levels}>
        {levels.map((one) => {
          const state = stateOf(one, one === first, progress);
          return (
            <li key={one.level}>
              <button
                type="button"
                class={`level ${state}`}
                aria-pressed={one === shown}
                onClick={() => setQuery({ level: one.level })}
              >
                <span class="row">
                  <Icon name={levelIcons[state]} className={state === 'running' ? 'spin' : ''} />
                  <strong>{one.level === '' ? '—' : one.level}</strong>
                </span>
                <span class="visually-hidden">{texts.updates.levelStates[state]}</span>
                <span class="muted">{`${one.done}/${one.total}`}</span>
              </button>
            </li>
          );
        })}
      </ol>
      {shown !== undefined && (
        <p>
          <span class="muted">{texts.updates.componentsOf(shown.level)}</span> {(shown.components ?? []).join(', ')}
        </p>
      )}
    </div>
  );
}

/** What is waited for, what prevents the update first. */
function Waits({ blockers, waits }: { readonly blockers: readonly Blocker[]; readonly waits: readonly Blocker[] }) {
  return (
    <Panel title={texts.updates.waitsFor}>
      <ul class="list">
        {[...blockers.map((one) => [one, true] as const), ...waits.map((one) => [one, false] as const)].map(
          ([one, isBlocker]) => (
            <li key={`${one.object} ${one.reason}`} class="stack tight">
              <div class="row wrap">
                <span class={isBlocker ? 'tone-danger' : 'tone-warning'}>
                  <Icon name={isBlocker ? 'failed' : 'clock'} />
                  <span class="visually-hidden">{texts.updates.levelStates[isBlocker ? 'failed' : 'waiting']}</span>
                </span>
                <strong class="grow break">{one.object}</strong>
                <Ago time={one.since ?? ''} />
              </div>
              <span class="muted break">{one.reason}</span>
              <p class="message">{one.message}</p>
            </li>
          ),
        )}
      </ul>
    </Panel>
  );
}

interface Insight {
  readonly level: string;
  readonly summary: string;
  readonly description: string;
  readonly next: string;
}

interface Assessment {
  readonly controlPlane?: { readonly assessment?: string; readonly remainingMs?: number };
  readonly insights?: readonly Insight[];
}

async function assess(signal: AbortSignal): Promise<CommandResult> {
  return await runCommand('upgradeStatus', {}, signal);
}

/** What `longshore upgrade status` makes of it: how long it takes, and what slows it down. */
function Health({ version }: { readonly version: ClusterVersion }): JSX.Element | null {
  const { done = 0, waitingFor = [], blockers = [] } = version.status?.progress ?? {};
  const key = JSON.stringify([done, [...waitingFor, ...blockers].map(({ object, reason }) => [object, reason])]);
  const { value } = useLoad(key, assess);
  if (value === undefined || typeof value.output === 'string') return null;
  const { controlPlane = {}, insights = [] } = value.output as Assessment;
  const minutes = Math.round((controlPlane.remainingMs ?? 0) / 60_000);
  return (
    <Panel title={texts.updates.health}>
      <div class="body stack">
        <p>
          {controlPlane.assessment}
          {minutes > 0 && ` · ${texts.updates.remaining(minutes)}`}
        </p>
        {insights.map(({ level, summary, description, next }) => (
          <div key={summary} class="stack tight">
            <strong class={level === 'Error' ? 'tone-danger' : 'tone-warning'}>{summary}</strong>
            <p class="message muted">{description}</p>
            <CommandLine command={next} />
          </div>
        ))}
        <CommandLine command={value.command} />
      </div>
    </Panel>
  );
}

/** How far the release is applied; nothing once it is. */
export function UpdateProgress({ version }: { readonly version: ClusterVersion }): JSX.Element | null {
  const progress = version.status?.progress;
  if (progress === undefined || (progress.levels ?? []).length === 0) return null;
  const { done, total, blockers = [], waitingFor = [] } = progress;
  return (
    <>
      {blockers.length + waitingFor.length > 0 && <Waits blockers={blockers} waits={waitingFor} />}
      <Panel title={texts.updates.levels} aside={<span class="muted">{texts.updates.manifests(done, total)}</span>}>
        <Strip progress={progress} />
      </Panel>
      <Health version={version} />
    </>
  );
}
