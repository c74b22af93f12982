import { makeSecrets, names, outline, secrets, withoutCurrent } from '../list-shapes.ts';
import { type Area, area } from '../suite.ts';

const token = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const badTokens: readonly (readonly [string, string])[] = [
  ['text that is not base64', 'x!x'],
  ['padding', `${token({ v: 'meta.k8s.io/v1', rv: 5, start: 'a' })}==`],
  ['a letter alone', 'a'],
  ['no JSON', Buffer.from('hello').toString('base64url')],
  ['no version', token({ rv: 5, start: 'a' })],
  ['another version', token({ v: 'meta.k8s.io/v2', rv: 5, start: 'a' })],
  ['no revision', token({ v: 'meta.k8s.io/v1', start: 'a' })],
  ['no start', token({ v: 'meta.k8s.io/v1', rv: 5 })],
  ['a path that climbs', token({ v: 'meta.k8s.io/v1', rv: 5, start: '../secrets/a' })],
  ['a doubled slash', token({ v: 'meta.k8s.io/v1', rv: 5, start: 'a//b' })],
  ['a start of another type', token({ v: 'meta.k8s.io/v1', rv: 5, start: 7 })],
  ['a revision of another type', token({ v: 'meta.k8s.io/v1', rv: '5', start: 'a' })],
  ['an array', token([])],
];

/** Continue tokens that the server did not issue. */
export const cases: Area = area('Continue tokens', (it) => {
  for (const [what, text] of badTokens) {
    it(`refuses ${what}`, async (api) => {
      await api.ask('GET', `${secrets(api.namespace)}?continue=${encodeURIComponent(text)}`);
    });
  }

  it('lists the rest at the latest version after a token of revision -1', async (api) => {
    const path = await makeSecrets(api, 'a', 'b', 'c', 'd');
    const rest = token({ v: 'meta.k8s.io/v1', rv: -1, start: 'b\u0000' });
    await api.ask('GET', `${path}?limit=1&continue=${rest}`, { keep: outline });
    await api.ask('GET', `${path}?continue=${rest}`, { keep: names });
  });

  it('refuses a token of a version that is not there yet', async (api) => {
    const path = await makeSecrets(api, 'a');
    const rest = token({ v: 'meta.k8s.io/v1', rv: 9_000_000_000_000, start: 'a' });
    await api.ask('GET', `${path}?continue=${rest}`, { keep: withoutCurrent });
  });
});
