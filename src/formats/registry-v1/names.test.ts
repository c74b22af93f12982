import { expect, test } from 'vitest';
import { goJsonHash, type JsonValue, joinName } from '../../base/index.ts';
import type { PolicyRule } from './csv.ts';
import { permissionName, servingNames } from './names.ts';

const pods = { apiGroups: [''], resources: ['pods'] };
const widgets = { apiGroups: ['widgets.acme.example'], resources: ['widgets'], verbs: ['get', 'list', 'watch'] };
const namespaces = { apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'list', 'watch'] };
const acmeRules = [
  { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'create'] },
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['*'] },
];
const token = { apiGroups: [''], resources: ['secrets'], resourceNames: ['tide-token'], verbs: ['get'] };
const apps = { apiGroups: ['apps'], resources: ['deployments'], verbs: ['get', 'list'] };
const gauges = { apiGroups: ['gauges.tide.example'], resources: ['gauges', 'gauges/status'], verbs: ['*'] };
const long = 'network-observability-operator-enterprise';

test.each<[JsonValue, string]>([
  ['a', '1lu1qv1451mq7gv9upu1cx8ffffi07rel5xvbvvc44dh'],
  ['b', '1ija85ah4gd0beltpfhszipkxfyqqxhp94tf2mjfgq61'],
  [null, '2im0kl1kwvzn46sr4cdtkvmdzrlurvj51xdzhwdht8l0'],
  [{}, '16jfjhihxbzhfhs1k5mimq740kvioi98pfbea9q6qtf9'],
])('the hash of %j', (value, hash) => expect(goJsonHash(value)).toBe(hash));

test.for<[csv: string, account: string, rules: readonly PolicyRule[] | null, name: string]>([
  [
    'acme-widget.v1.2.3',
    'acme-widget-controller',
    [widgets],
    'acme-widget.v1.2.3-15pksim2k3y3732y0s23emhozxn73b2n51ki7nmc15vk',
  ],
  [
    'acme-widget.v1.2.4',
    'acme-widget-controller',
    [widgets],
    'acme-widget.v1.2.4-15pksim2k3y3732y0s23emhozxn73b2n51ki7nmc15vk',
  ],
  [
    'acme-widget.v1.2.3',
    'acme-widget-controller',
    acmeRules,
    'acme-widget.v1.2.3--rj091t6ksegz1cg4t9admrrv856xlei3r7c1hxoyqhz',
  ],
  [
    'acme-widget.v1.2.3',
    'acme-widget-controller',
    [...acmeRules, namespaces],
    'acme-widget.v1.2.3-22tvss2f3ju4sb7ol568zr7krq1fdvaysk0q5nur3np7',
  ],
  [
    'acme-widget.v1.2.3',
    '',
    [{ ...pods, verbs: ['get'] }],
    'acme-widget.v1.2.3--nzvb3zwx13bo1wsnj9o549rri6w6zwgjkd9ihzcrq24',
  ],
  ['tide-gauge.v0.4.0', 'tide-gauge', [gauges], 'tide-gauge.v0.4.0-t-t7syvx5bb7etjadftoohuzfo73pcpax2wtq6oabpx06'],
  ['tide-gauge.v0.4.0', 'tide-gauge', [token], 'tide-gauge.v0.4.0--2zsqnp8jxo6npcm4u8hk7ryg4sl50pklydiavqhokvn1'],
  [
    'tide-gauge.v0.4.0',
    'tide-gauge',
    [token, namespaces],
    'tide-gauge.v0.4.0--1l7eqa3xtyya84qhj4r2inn8n0q9gr4zdoqpim88dq7i',
  ],
  ['tide-gauge.v0.4.0', '', [apps], 'tide-gauge.v0.4.0--1ccpo4y4coog5ki2egnbo39vck67tykgthbs6ap6ojim'],
  ['tide-gauge.v0.4.0', 'default', [apps], 'tide-gauge.v0.4.0--1b54lx60gis70upnxadordaqc3wrd16y56179rgeqfwk'],
  [
    'w.v1',
    'sa',
    [{ verbs: ['get'], nonResourceURLs: ['/metrics'] }],
    'w.v1-sa-x9w0hujy895cax0aaeo64jtiirw40ksonw6zls26aek',
  ],
  ['w.v1', 'sa', [], 'w.v1-sa-1fy0tjntmla1b4pz8uowcp2meoeu5ngt638jnkzkb2ti'],
  ['w.v1', 'sa', null, 'w.v1-sa-swixy5saxqg1a8tp9a6ak4e8ktu1z8emjaqzit38ihw'],
  [
    'w.v1',
    'sa',
    [{ verbs: ['update'], apiGroups: ['apps'], resources: ['deployments/finalizers'], resourceNames: ['a&b'] }],
    'w.v1-sa-275zfwscgyi4gvt3pxp5d1z3n3uljujxwuvzx2ktxkx',
  ],
  [
    'w.v1',
    'sa',
    [{ verbs: ['get'], apiGroups: [], resources: ['pods'] }],
    'w.v1-sa-2lq2akavm2pg09dutngb23zvmbufulke4q9rbl1i270b',
  ],
  ['x.v1', 'sa', [{ ...pods, verbs: ['get', 'list'] }], 'x.v1-sa-r46sxgnvym0hdhnfu1rwde004cd0apgsk0yju9fat7x'],
  ['x.v1', 'sa', [{ ...pods, verbs: ['list', 'get'] }], 'x.v1-sa-2xj6tswoh3ae5eriir9odiyr3o3hhiw6txnmkvlg9gv1'],
  ['x.v1', 'sa', [{ ...pods, verbs: [] }], 'x.v1-sa-8hrni8liz0tpegbqco45jqh8x1itszp1uf9r8pk3lmf'],
  ['x.v1', 'sa', [{ ...pods, verbs: null }], 'x.v1-sa-19yq7aakxebvwe4aozlrs408mjyrxdt2t7ih42c8pvh'],
  [
    'x.v1',
    'sa',
    [{ ...pods, verbs: ['get'], resourceNames: ['naïve<é>'] }],
    'x.v1-sa-qa5x7i1ei3jnhi1vbzd4m7iod13yt81maqpgee5g9ra',
  ],
  [
    'c'.repeat(17),
    's',
    [{ ...pods, verbs: ['get'] }],
    `${'c'.repeat(17)}-s-35j8raf5ylav41kai2781izd3gwgjlkqx4cjjckugpti`,
  ],
  [
    'c'.repeat(19),
    's',
    [{ ...pods, verbs: ['get'] }],
    `${'c'.repeat(18)}-35j8raf5ylav41kai2781izd3gwgjlkqx4cjjckugpti`,
  ],
  [
    `${long}.v12.34.56-rc.1`,
    `${long}-controller-manager`,
    [{ ...pods, verbs: ['get'] }],
    'network-observabili-qx93samn5cc6y4p6bfw0hmi0jbl1xq83mwbfdrncgu5',
  ],
])('RV-N1 to RV-N23: the role of %s for the account "%s"', ([csv, serviceAccountName, rules, name]) => {
  expect(permissionName(csv, { serviceAccountName, rules })).toBe(name);
});

test.for([
  [
    'tide-gauge-manager',
    'tide-gauge-manager-service',
    'tide-gauge-manager-service-cert',
    'tide-gauge-manager-service-cert-selfsigned-issuer',
  ],
  [
    'acme.widget.io',
    'acme-widget-io-service',
    'acme-widget-io-service-cert',
    'acme-widget-io-service-cert-selfsigned-issuer',
  ],
  [
    'x'.repeat(47),
    `${'x'.repeat(47)}-service`,
    `${'x'.repeat(47)}-service-cert`,
    `${'x'.repeat(45)}-selfsigned-issuer`,
  ],
  ['x'.repeat(54), `${'x'.repeat(54)}-service`, `${'x'.repeat(54)}-ser-cert`, `${'x'.repeat(45)}-selfsigned-issuer`],
  ['x'.repeat(57), `${'x'.repeat(55)}-service`, `${'x'.repeat(55)}-se-cert`, `${'x'.repeat(45)}-selfsigned-issuer`],
  [
    `${long}-controller-manager`,
    'network-observability-operator-enterprise-controller-ma-service',
    'network-observability-operator-enterprise-controller-ma-se-cert',
    'network-observability-operator-enterprise-con-selfsigned-issuer',
  ],
])('RV-N24: what serves the webhooks of %s', ([deployment = '', service, certificate, issuer]) => {
  expect(servingNames(deployment)).toEqual({ service, certificate, issuer });
});

test('RV-N24: two parts of exactly 63 characters make 64', () => {
  expect(servingNames('x'.repeat(56)).service).toHaveLength(64);
});

test('a base is cut between bytes, and never to less than nothing', () => {
  expect(joinName('é'.repeat(40), 'x'.repeat(20))).toMatch(/^é{21}-x{20}$/);
  expect(joinName('abc', 'x'.repeat(70))).toBe(`-${'x'.repeat(70)}`);
});
