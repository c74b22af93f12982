import {
  isTrueAt,
  type JsonObject,
  listAt,
  listOfTexts,
  objectAt,
  objectsAt,
  textAt,
} from '../../../../src/base/index.ts';
import {
  dns1123SubdomainProblems,
  dns1123SubdomainWithUnderscoreProblems,
  duplicateField,
  type FieldError,
  goTextList,
  invalidField,
  requiredField,
  unsupportedField,
} from '../../../../src/schema/index.ts';
import { numberAt } from '../../../core/index.ts';
import { addressErrors, portNameProblems } from '../addresses.ts';
import { each, invalids, portNumberProblems } from '../checks.ts';

const mostNameservers = 3;
const mostSearches = 32;
const longestSearches = 2048;

function serverErrors(config: JsonObject, path: string): FieldError[] {
  const servers = listOfTexts(config, 'nameservers');
  const field = `${path}.nameservers`;
  const text = `must not have more than ${mostNameservers} nameservers`;
  return [
    ...(servers.length > mostNameservers ? [invalidField(field, goTextList(servers), text)] : []),
    ...servers.flatMap((server, index) => addressErrors(server, `${field}[${index}]`)),
  ];
}

function searchErrors(config: JsonObject, path: string): FieldError[] {
  const searches = listOfTexts(config, 'searches');
  const field = `${path}.searches`;
  const refuse = (text: string): FieldError => invalidField(field, goTextList(searches), text);
  const errors: FieldError[] = [];
  if (searches.length > mostSearches) errors.push(refuse(`must not have more than ${mostSearches} search paths`));
  if (searches.join(' ').length > longestSearches) {
    const text = `must not have more than ${longestSearches} characters (including spaces) in the search list`;
    errors.push(refuse(text));
  }
  const names = searches.flatMap((search, index) => {
    const name = search.replace(/\.$/, '');
    const problems = search === '.' ? [] : dns1123SubdomainWithUnderscoreProblems(name);
    return invalids(`${field}[${index}]`, name, problems);
  });
  return [...errors, ...names];
}

/** Errors of `dnsConfig`. */
export function dnsConfigErrors(spec: JsonObject, path: string): FieldError[] {
  const config = objectAt(spec, 'dnsConfig');
  const at = `${path}.dnsConfig`;
  const isOwn = textAt(spec, 'dnsPolicy') === 'None';
  if (config === undefined) {
    return isOwn ? [requiredField(at, 'must provide `dnsConfig` when `dnsPolicy` is None')] : [];
  }
  if (isOwn && listAt(config, 'nameservers').length === 0) {
    const text = 'must provide at least one DNS nameserver when `dnsPolicy` is None';
    return [requiredField(`${at}.nameservers`, text)];
  }
  return [
    ...serverErrors(config, at),
    ...searchErrors(config, at),
    ...each(config, { path: at, key: 'options' }, (option, field) =>
      textAt(option, 'name') === '' ? [requiredField(field, 'must not be empty')] : [],
    ),
  ];
}

/** Errors of `hostAliases`. */
export function hostAliasErrors(spec: JsonObject, path: string): FieldError[] {
  return each(spec, { path, key: 'hostAliases' }, (alias, at) => [
    ...addressErrors(textAt(alias, 'ip'), `${at}.ip`),
    ...listOfTexts(alias, 'hostnames').flatMap((name, index) =>
      invalids(`${at}.hostnames[${index}]`, name, dns1123SubdomainProblems(name)),
    ),
  ]);
}

const protocols = ['SCTP', 'TCP', 'UDP'];

function portNameErrors(name: string, field: string, names: Set<string>): FieldError[] {
  if (name === '') return [];
  const errors = invalids(field, name, portNameProblems(name));
  if (errors.length > 0) return errors;
  if (names.has(name)) return [duplicateField(field, name)];
  names.add(name);
  return [];
}

function protocolErrors(protocol: string, field: string): FieldError[] {
  if (protocol === '') return [requiredField(field)];
  return protocols.includes(protocol) ? [] : [unsupportedField(field, protocol, protocols)];
}

/** Errors of the ports of one container. */
export function containerPortErrors(container: JsonObject, path: string): FieldError[] {
  const names = new Set<string>();
  return each(container, { path, key: 'ports' }, (port, at) => {
    const [inside, outside] = [numberAt(port, 'containerPort') ?? 0, numberAt(port, 'hostPort') ?? 0];
    return [
      ...portNameErrors(textAt(port, 'name'), `${at}.name`, names),
      ...(inside === 0
        ? [requiredField(`${at}.containerPort`)]
        : invalids(`${at}.containerPort`, inside, portNumberProblems(inside))),
      ...(outside === 0 ? [] : invalids(`${at}.hostPort`, outside, portNumberProblems(outside))),
      ...protocolErrors(textAt(port, 'protocol'), `${at}.protocol`),
    ];
  });
}

/** Errors of ports of the host that several of these containers take; `path` is that of their list. */
export function hostPortErrors(containers: readonly JsonObject[], path: string): FieldError[] {
  const taken = new Set<string>();
  return containers.flatMap((container, index) =>
    objectsAt(container, 'ports').flatMap((port, number) => {
      const outside = numberAt(port, 'hostPort') ?? 0;
      if (outside === 0) return [];
      const shown = `${textAt(port, 'protocol')}/${textAt(port, 'hostIP')}/${outside}`;
      if (taken.has(shown)) return [duplicateField(`${path}[${index}].ports[${number}].hostPort`, shown)];
      taken.add(shown);
      return [];
    }),
  );
}

/** On the network of the host a port is the same inside and outside; templates may leave it out. */
export function hostNetworkErrors(spec: JsonObject, path: string, isPod: boolean): FieldError[] {
  if (!isTrueAt(spec, 'hostNetwork')) return [];
  return each(spec, { path, key: 'containers' }, (container, at) =>
    each(container, { path: at, key: 'ports' }, (port, field) => {
      const [inside, outside] = [numberAt(port, 'containerPort') ?? 0, numberAt(port, 'hostPort') ?? 0];
      const isSame = inside === outside || (!isPod && outside === 0);
      const text = 'must match `containerPort` when `hostNetwork` is true';
      return isSame ? [] : [invalidField(`${field}.hostPort`, outside, text)];
    }),
  );
}
