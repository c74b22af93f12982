import { listOf, names, secret, secrets } from '../list-shapes.ts';
import { type Area, area } from '../suite.ts';

const things: readonly (readonly [name: string, labels: Readonly<Record<string, string>>])[] = [
  ['a', { app: 'web', tier: 'front', size: '5' }],
  ['b', { app: 'web', tier: 'back', size: '10' }],
  ['c', { app: 'db', size: '3' }],
  ['d', { app: '', size: 'x' }],
  ['e', {}],
  ['f', { 'example.com/app': 'web', in: 'notin', notin: 'in' }],
];

const selectors: readonly string[] = [
  'app',
  '!app',
  'app=web',
  'app==web',
  'app!=web',
  'app=',
  'app!=',
  'app in (web,db)',
  'app in (web)',
  'app notin (web,db)',
  'app in ()',
  'app in (,)',
  'app in (,web)',
  'app notin (,web)',
  ' app = web , tier = back ',
  'app=web,tier!=front',
  'app,!tier',
  'size>4',
  'size<4',
  'size>5,size<11',
  'example.com/app=web',
  'in in (notin)',
  'notin in (in)',
  'app=web,app=db',
  '! app',
  'app=web,',
  'app\tin\n(web)',
];

const malformed: readonly string[] = [
  ',',
  ',app',
  'app,,tier',
  'app tier',
  'app in',
  'app in web',
  'app in (',
  'app in (web',
  'app in (web db)',
  'app in (web,,db',
  'app in (web)) ',
  'app=web tier',
  'app=(web)',
  'app=web=x',
  'app===web',
  '!',
  '!app=web',
  '!!app',
  '=web',
  '(app)',
  'app>web',
  'app>',
  'app<1.5',
  'app>99999999999999999999',
  'app in (web) tier',
  'app:web',
  'a b=c',
  '-app=web',
  'app=-web',
  'app=we b',
  'app=w$b',
  'a/b/c=d',
  '/app',
  'UP.example.com/app',
  `${'x'.repeat(64)}=a`,
  `app=${'x'.repeat(64)}`,
  `app in (${'x'.repeat(64)},-b)`,
  `${'x'.repeat(254)}/app`,
  'app=ä',
  'ä=b',
  'app notin',
  'app!web',
  'app=web&',
  '"app"=web',
];

/** Label selectors of lists. */
export const cases: Area = area('Label selectors', (it) => {
  for (const selector of selectors) {
    it(`selects by ${JSON.stringify(selector)}`, async (api) => {
      const path = secrets(api.namespace);
      for (const [name, labels] of things) await api.setUp('POST', path, { body: secret(name, labels) });
      await api.ask('GET', `${path}?labelSelector=${encodeURIComponent(selector)}`, { keep: names });
    });
  }

  for (const selector of malformed) {
    const shown = selector.length > 60 ? `${selector.slice(0, 20)}… of ${selector.length} characters` : selector;
    it(`W142 reports what is wrong with ${JSON.stringify(shown)}`, async (api) => {
      await api.ask('GET', `${secrets(api.namespace)}?labelSelector=${encodeURIComponent(selector)}`);
    });
  }

  it('selects the same across all namespaces and in pages', async (api) => {
    const path = secrets(api.namespace);
    for (const name of ['a', 'b', 'c']) {
      await api.setUp('POST', path, { body: secret(name, { set: api.namespace, name }) });
    }
    const query = `labelSelector=set%3D${api.namespace},name%20in%20(a,c)`;
    await api.ask('GET', `/api/v1/secrets?${query}`, { keep: names });
    const { body } = await api.setUp('GET', `/api/v1/secrets?${query}&limit=1`);
    api.record('goes on', listOf(body).metadata.continue !== undefined);
  });

  it('reports the label selector before the field selector and before options that do not go together', async (api) => {
    const path = secrets(api.namespace);
    await api.ask('GET', `${path}?labelSelector=%3D&fieldSelector=x`);
    await api.ask('GET', `${path}?labelSelector=%3D&resourceVersionMatch=x`);
    await api.ask('GET', `${path}?labelSelector=%3D&limit=x`);
    await api.ask('GET', `${path}?labelSelector=%3D&continue=x`);
    await api.ask('GET', `${path}?labelSelector=%3D`, { accept: 'text/html' });
    await api.ask('GET', `${path}?resourceVersionMatch=x`, { accept: 'text/html' });
    await api.ask('GET', `${path}?fieldSelector=spec.x%3D1`, { accept: 'text/html' });
    await api.ask('GET', `${path}?fieldSelector=spec.x%3D1&continue=x`);
    await api.ask('GET', `${path}?fieldSelector=spec.x%3D1&resourceVersion=x`);
  });
});
