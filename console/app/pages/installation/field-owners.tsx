import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { FieldOwner } from '../../../server/wire.ts';
import { texts } from '../../texts.ts';
import { Icon } from '../../ui/icon.tsx';
import { Ago } from '../../ui/parts.tsx';

interface Field {
  readonly path: string;
  readonly owners: readonly FieldOwner[];
}

function fieldsOf(owners: readonly FieldOwner[]): readonly Field[] {
  const byPath = new Map<string, FieldOwner[]>();
  for (const owner of owners) {
    for (const path of owner.fields) byPath.set(path, [...(byPath.get(path) ?? []), owner]);
  }
  return [...byPath].map(([path, those]) => ({ path, owners: those })).toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

const maxShown = 200;

/** Who has set which field: each field with its writers, and a search. */
export function FieldOwners({ owners }: { readonly owners: readonly FieldOwner[] }): JSX.Element | null {
  const [search, setSearch] = useState('');
  if (owners.length === 0) return null;
  const fields = fieldsOf(owners);
  const word = search.trim().toLowerCase();
  const found = fields.filter(
    ({ path, owners: those }) =>
      path.toLowerCase().includes(word) || those.some(({ manager }) => manager.toLowerCase().includes(word)),
  );
  return (
    <details class="field-owners">
      <summary>
        <span class="caret">
          <Icon name="caret" />
        </span>
        <strong>{texts.installation.owners}</strong>
        <span class="muted">{owners.map(({ manager, count }) => `${manager} ${count}`).join(', ')}</span>
      </summary>
      <label class="field">
        {texts.installation.searchFields}
        <input value={search} onInput={(event) => setSearch(event.currentTarget.value)} />
      </label>
      <div class="scroll" tabIndex={0} role="group" aria-label={texts.installation.owners}>
        <table>
          <tbody>
            {found.slice(0, maxShown).map(({ path, owners: those }) => (
              <tr key={path}>
                <th scope="row" class="mono break">
                  {path}
                </th>
                <td>
                  {those.map(({ manager, operation, subresource, time }) => (
                    <span key={`${manager} ${operation} ${subresource}`} class="row wrap">
                      <strong>{manager}</strong>
                      <span class="muted">{[operation, subresource].filter((text) => text !== '').join(' ')}</span>
                      <Ago time={time} />
                    </span>
                  ))}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {found.length > maxShown && <p class="muted">{texts.installation.moreFields(found.length - maxShown)}</p>}
    </details>
  );
}
