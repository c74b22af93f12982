import type { JSX } from 'preact';
import { texts } from '../texts.ts';
import { Dialog } from './parts.tsx';

/** The keys, as a table. */
export function Keys(): JSX.Element {
  return (
    <table>
      <tbody>
        {texts.keys.list.map(([key, meaning]) => (
          <tr key={key}>
            <th scope="row">
              <kbd>{key}</kbd>
            </th>
            <td>{meaning}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The dialog that `?` opens. */
export function KeyList({ onClose }: { readonly onClose: () => void }): JSX.Element {
  return (
    <Dialog title={texts.keys.title} onClose={onClose}>
      <div class="content">
        <h2>{texts.keys.title}</h2>
        <Keys />
        <div class="actions">
          <button type="button" class="button" onClick={onClose}>
            {texts.keys.close}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
