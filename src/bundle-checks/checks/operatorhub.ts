import { Buffer } from 'node:buffer';
import { objectAt, TerminalError, textAt } from '../../base/index.ts';
import { compareVersions, parseTolerantVersion, parseVersion } from '../../constraints/index.ts';
import type { Check, Hit } from '../check.ts';
import { mailAddressProblem, requestUriProblem } from './addresses.ts';
import { type CsvView, itemsAt, ofCsv, placeIn } from './csv-view.ts';
import { removedApiHits } from './deprecated-apis.ts';

const operatorhub = { suite: 'operatorhub', stage: 'optional' } as const;
const mediaTypes: ReadonlySet<string> = new Set(['image/gif', 'image/jpeg', 'image/png', 'image/svg+xml']);

function* providerName({ csv, spec }: CsvView): Iterable<Hit> {
  if (textAt(objectAt(spec, 'provider'), 'name').trim() !== '') return;
  yield { message: 'csv.Spec.Provider.Name not specified', place: placeIn(csv, 'spec', 'provider') };
}

function* maintainersComplete({ csv }: CsvView): Iterable<Hit> {
  for (const { value, path } of itemsAt(csv.object, 'spec', 'maintainers')) {
    if (textAt(value, 'name') !== '' && textAt(value, 'email') !== '') continue;
    yield {
      message: 'csv.Spec.Maintainers elements should contain both name and email',
      place: placeIn(csv, ...path),
    };
  }
}

function* maintainersReachable({ csv }: CsvView): Iterable<Hit> {
  for (const { value, path } of itemsAt(csv.object, 'spec', 'maintainers')) {
    const email = textAt(value, 'email');
    const problem = email === '' ? undefined : mailAddressProblem(email);
    if (problem === undefined) continue;
    yield {
      message: `csv.Spec.Maintainers email ${email} is invalid: mail: ${problem}`,
      place: placeIn(csv, ...path, 'email'),
    };
  }
}

function* linksComplete({ csv }: CsvView): Iterable<Hit> {
  for (const { value, path } of itemsAt(csv.object, 'spec', 'links')) {
    if (textAt(value, 'name') !== '' && textAt(value, 'url') !== '') continue;
    yield { message: 'csv.Spec.Links elements should contain both name and url', place: placeIn(csv, ...path) };
  }
}

function* linksLead({ csv }: CsvView): Iterable<Hit> {
  for (const { value, path } of itemsAt(csv.object, 'spec', 'links')) {
    const url = textAt(value, 'url');
    const problem = url === '' ? undefined : requestUriProblem(url);
    if (problem === undefined) continue;
    yield {
      message: `csv.Spec.Links url ${url} is invalid: parse ${JSON.stringify(url)}: ${problem}`,
      place: placeIn(csv, ...path, 'url'),
    };
  }
}

/** What does not parse is reported by another check: it is set, after all. */
function isUnset(version: string): boolean {
  if (version === '') return true;
  try {
    return compareVersions(parseTolerantVersion(version), parseVersion('0.0.0')) === 0;
  } catch (thrown) {
    if (!(thrown instanceof TerminalError)) throw thrown;
    return false;
  }
}

function* versionSet({ csv, spec }: CsvView): Iterable<Hit> {
  if (isUnset(textAt(spec, 'version'))) {
    yield { message: 'csv.Spec.Version must be set', place: placeIn(csv, 'spec', 'version') };
  }
}

function* iconPresent({ csv }: CsvView): Iterable<Hit> {
  if (itemsAt(csv.object, 'spec', 'icon').length > 0) return;
  yield { message: 'csv.Spec.Icon not specified', place: placeIn(csv, 'spec', 'icon') };
}

function* oneIcon({ csv }: CsvView): Iterable<Hit> {
  if (itemsAt(csv.object, 'spec', 'icon').length <= 1) return;
  yield { message: 'csv.Spec.Icon should only have one element', place: placeIn(csv, 'spec', 'icon', 1) };
}

function* iconComplete({ csv }: CsvView): Iterable<Hit> {
  const [icon] = itemsAt(csv.object, 'spec', 'icon');
  if (icon === undefined) return;
  if (textAt(icon.value, 'base64data') !== '' && textAt(icon.value, 'mediatype') !== '') return;
  yield {
    message: 'csv.Spec.Icon elements should contain both data and mediatype',
    place: placeIn(csv, ...icon.path),
  };
}

function* iconType({ csv }: CsvView): Iterable<Hit> {
  const [icon] = itemsAt(csv.object, 'spec', 'icon');
  if (icon === undefined) return;
  const type = textAt(icon.value, 'mediatype');
  if (mediaTypes.has(type)) return;
  yield {
    message: `csv.Spec.Icon ${type} does not have a valid mediatype`,
    place: placeIn(csv, ...icon.path, 'mediatype'),
  };
}

/** Line breaks between are harmless, anything else is none of base64's letters. */
function isBase64(text: string): boolean {
  const bare = text.replaceAll(/[\r\n]/g, '');
  return bare.length % 4 === 0 && Buffer.from(bare, 'base64').toString('base64') === bare;
}

function* iconReadable({ csv }: CsvView): Iterable<Hit> {
  const [icon] = itemsAt(csv.object, 'spec', 'icon');
  const data = textAt(icon?.value, 'base64data');
  if (icon === undefined || isBase64(data)) return;
  yield { message: 'csv.Spec.Icon data is not valid base64', place: placeIn(csv, ...icon.path, 'base64data') };
}

const minKubeVersionAdvice =
  'csv.Spec.minKubeVersion is not informed. It is recommended you provide this information. Otherwise, it would mean that your operator project can be distributed and installed in any cluster version available, which is not necessarily the case for all projects.';

function* minKubeVersion({ csv, spec }: CsvView): Iterable<Hit> {
  const version = textAt(spec, 'minKubeVersion');
  const place = placeIn(csv, 'spec', 'minKubeVersion');
  if (version.trim() === '') {
    yield { message: minKubeVersionAdvice, place };
    return;
  }
  try {
    parseVersion(version);
  } catch (thrown) {
    if (!(thrown instanceof TerminalError)) throw thrown;
    yield { message: `csv.Spec.MinKubeVersion has an invalid value: ${version}`, severity: 'error', place };
  }
}

/** What OperatorHub.io asks for. @see docs/spec/bundle-format.md#operatorhubv2 */
export const operatorhubChecks: readonly Check[] = [
  {
    id: 'H1',
    ...operatorhub,
    severity: 'error',
    title: 'the provider has no name',
    whatToDo: 'Set spec.provider.name to the provider of the operator.',
    find: ofCsv(providerName),
  },
  {
    id: 'H2',
    ...operatorhub,
    severity: 'error',
    title: 'a maintainer lacks a name or an email',
    whatToDo: 'Give every entry of spec.maintainers both name and email.',
    find: ofCsv(maintainersComplete),
  },
  {
    id: 'H3',
    ...operatorhub,
    severity: 'error',
    title: "a maintainer's email is not an address",
    whatToDo: 'Write one address: name@example.com.',
    find: ofCsv(maintainersReachable),
  },
  {
    id: 'H4',
    ...operatorhub,
    severity: 'error',
    title: 'a link lacks a name or a url',
    whatToDo: 'Give every entry of spec.links both name and url.',
    find: ofCsv(linksComplete),
  },
  {
    id: 'H5',
    ...operatorhub,
    severity: 'error',
    title: "a link's url is not absolute",
    whatToDo: 'Write the whole address, with https:// in front.',
    find: ofCsv(linksLead),
  },
  {
    id: 'H6',
    ...operatorhub,
    severity: 'error',
    title: 'the version is missing or 0.0.0',
    whatToDo: 'Set spec.version to the version of this release: 1.2.3.',
    find: ofCsv(versionSet),
  },
  {
    id: 'H7',
    ...operatorhub,
    severity: 'warning',
    title: 'there is no icon',
    whatToDo: 'Add one entry to spec.icon, with base64data and mediatype.',
    find: ofCsv(iconPresent),
  },
  {
    id: 'H8',
    ...operatorhub,
    severity: 'error',
    title: 'there are several icons',
    whatToDo: 'Leave one entry in spec.icon.',
    find: ofCsv(oneIcon),
  },
  {
    id: 'H9',
    ...operatorhub,
    severity: 'error',
    title: 'the icon lacks data or media type',
    whatToDo: 'Set base64data and mediatype of the icon.',
    find: ofCsv(iconComplete),
  },
  {
    id: 'H10',
    ...operatorhub,
    severity: 'error',
    title: "the icon's media type is not supported",
    whatToDo: `Use one of ${[...mediaTypes].join(', ')}.`,
    find: ofCsv(iconType),
  },
  {
    id: 'H11',
    ...operatorhub,
    severity: 'warning',
    title: 'minKubeVersion is missing, or is not a version (an error)',
    whatToDo: 'Set spec.minKubeVersion to the oldest release that the operator works on, with three numbers: 1.25.0.',
    find: ofCsv(minKubeVersion),
  },
  {
    id: 'H12',
    ...operatorhub,
    severity: 'warning',
    title: 'an API is used that Kubernetes has removed',
    whatToDo: 'Use the API versions that the guide names.',
    find: removedApiHits,
  },
  {
    id: 'H13',
    ...operatorhub,
    severity: 'warning',
    title: "the icon's data is not base64",
    whatToDo: 'Write the image as base64, without a data: prefix.',
    find: ofCsv(iconReadable),
  },
];
