import type { JSX } from 'preact';
import { texts } from '../texts.ts';
import { Notice, Panel, Reference } from './parts.tsx';

interface ChosenBundle {
  readonly action: 'install' | 'update' | 'keep';
  readonly package?: string;
  readonly version: string;
  readonly name: string;
  readonly catalog?: string;
  readonly channel?: string;
  readonly image?: string;
  readonly reasons: readonly string[];
  readonly newer: readonly string[];
}

/** What `longshore resolve -o json` prints. */
export type Resolution =
  | { readonly outcome: 'resolved'; readonly bundles: readonly ChosenBundle[]; readonly notices: readonly string[] }
  | {
      readonly outcome: 'conflict';
      readonly summary: string;
      readonly sentences: readonly string[];
      readonly action: string;
      readonly notices: readonly string[];
    };

/** Which bundles are installed and why, or why none can be. */
export function ResolutionView({ resolution }: { readonly resolution: Resolution }): JSX.Element {
  if (resolution.outcome !== 'resolved') {
    return (
      <Notice tone="danger" title={resolution.summary}>
        <ul class="todo">
          {resolution.sentences.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
        <p>
          <strong>{texts.installation.whatToDo}:</strong> {resolution.action}
        </p>
      </Notice>
    );
  }
  return (
    <Panel>
      <ol class="list">
        {resolution.bundles.map((bundle) => (
          <li key={bundle.name} class="stack tight">
            <div class="row wrap">
              <strong>{bundle.name}</strong>
              <span class="chip">{texts.resolve.actions[bundle.action]}</span>
              {bundle.channel !== undefined && <span class="muted">{bundle.channel}</span>}
            </div>
            <p>{bundle.reasons.join(' ')}</p>
            {bundle.newer.length > 0 && <p class="muted">{bundle.newer.join(' ')}</p>}
            {bundle.image !== undefined && <Reference text={bundle.image} />}
          </li>
        ))}
      </ol>
      {resolution.notices.map((notice) => (
        <p key={notice} class="body muted">
          {notice}
        </p>
      ))}
    </Panel>
  );
}
