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
      <div class="scroll" tabIndex={0} role="group" aria-label={texts.resolve.bundle}>
        <table>
          <thead>
            <tr>
              <th>{texts.resolve.bundle}</th>
              <th>{texts.resolve.action}</th>
              <th>{texts.resolve.because}</th>
              <th>{texts.resolve.newer}</th>
            </tr>
          </thead>
          <tbody>
            {resolution.bundles.map((bundle) => (
              <tr key={bundle.name}>
                <td>
                  <strong>{bundle.name}</strong>
                  <br />
                  <span class="muted">{bundle.channel}</span>{' '}
                  {bundle.image !== undefined && <Reference text={bundle.image} />}
                </td>
                <td>{bundle.action}</td>
                <td>{bundle.reasons.join(' ')}</td>
                <td class="muted">{bundle.newer.join(' ')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {resolution.notices.map((notice) => (
        <p key={notice} class="body muted">
          {notice}
        </p>
      ))}
    </Panel>
  );
}
