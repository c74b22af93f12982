import { objectAt, TerminalError, textAt, valueAt } from '../../base/index.ts';
import { parseVersion } from '../../constraints/index.ts';
import type { BundleUnderCheck } from '../bundle.ts';
import type { Check, Hit } from '../check.ts';
import {
  type CsvView,
  csvDeployments,
  csvRules,
  goList,
  hasAny,
  itemsAt,
  itemsBelow,
  ofCsv,
  placeIn,
} from './csv-view.ts';

const practice = { suite: 'good-practices', stage: 'optional', severity: 'warning' } as const;
const channelsKey = 'operators.operatorframework.io.bundle.channels.v1';
const defaultChannelKey = 'operators.operatorframework.io.bundle.channel.default.v1';
/** Longer names are refused elsewhere. */
const maxNameCharacters = 300;

function* hasDeployments({ csv }: CsvView): Iterable<Hit> {
  if (csvDeployments(csv).length > 0) return;
  yield {
    message: 'unable to find a deployment to install in the CSV',
    place: placeIn(csv, 'spec', 'install', 'spec'),
  };
}

const resourcesText =
  'It is recommended to ensure the resource request for CPU and Memory. Be aware that for some clusters configurations it is required to specify requests or limits for those values. Otherwise, the system or quota may reject Pod creation. More info: https://master.sdk.operatorframework.io/docs/best-practices/managing-resources/';

function* containersRequest({ csv }: CsvView): Iterable<Hit> {
  for (const { value, path } of itemsBelow(csvDeployments(csv), 'spec', 'template', 'spec', 'containers')) {
    const requests = objectAt(value, 'resources', 'requests');
    if (['cpu', 'memory'].every((resource) => valueAt(requests, resource) !== undefined)) continue;
    yield {
      message: `unable to find the resource requests for the container: (${textAt(value, 'name')}). ${resourcesText}`,
      place: placeIn(csv, ...path),
    };
  }
}

function* crdsDescribed({ csv }: CsvView): Iterable<Hit> {
  for (const list of ['owned', 'required']) {
    for (const { value, path } of itemsAt(csv.object, 'spec', 'customresourcedefinitions', list)) {
      if (textAt(value, 'description').trim() !== '') continue;
      yield {
        message: `${list} CRD ${JSON.stringify(textAt(value, 'name'))} has an empty description`,
        place: placeIn(csv, ...path),
      };
    }
  }
}

function* channelsNamed({ annotations }: BundleUnderCheck): Iterable<Hit> {
  if (annotations === undefined) return;
  const listed = textAt(annotations.value, channelsKey).split(',');
  const names = new Set([...listed, textAt(annotations.value, defaultChannelKey)].filter((name) => name !== ''));
  const odd = [...names].filter((name) => !/^(?:candidate|stable|fast)/.test(name));
  if (odd.length === 0) return;
  yield {
    message: `channel(s) ${goList(odd)} are not following the recommended naming convention: https://olm.operatorframework.io/docs/best-practices/channel-naming`,
    place: { file: annotations.file, path: ['annotations', channelsKey] },
  };
}

const superOperatorText =
  "CSV contains permissions to create CRD. An Operator shouldn't deploy or manage other operators (such patterns are known as meta or super operators or include CRDs in its Operands). It's the Operator Lifecycle Manager's job to manage the deployment and lifecycle of operators.  Please, review the design of your solution and if you should not be using Dependency Resolution from OLM instead. More info: https://sdk.operatorframework.io/docs/best-practices/common-recommendation/";

function* createsNoCrds({ csv }: CsvView): Iterable<Hit> {
  const rule = csvRules(csv).find(
    ({ apiGroups, resources, verbs }) =>
      hasAny(apiGroups, 'apiextensions.k8s.io') &&
      hasAny(resources, 'customresourcedefinitions', '*', '[*]') &&
      hasAny(verbs, 'create', 'patch', '*', '[*]'),
  );
  if (rule !== undefined) yield { message: superOperatorText, place: placeIn(csv, ...rule.path) };
}

/** The semantic version that the name ends in. */
function versionIn(name: string): string | undefined {
  const version = /(?<![0-9]\.?)[0-9]+\.[0-9]+\.[0-9]+(?:[-+].*)?$/.exec(name)?.[0];
  if (version === undefined) return undefined;
  try {
    parseVersion(version);
    return version;
  } catch (thrown) {
    if (thrown instanceof TerminalError) return undefined;
    throw thrown;
  }
}

function* nameEndsInVersion({ csv }: CsvView): Iterable<Hit> {
  if (csv.name.length > maxNameCharacters || versionIn(csv.name) !== undefined) return;
  yield {
    message: `csv.metadata.Name ${csv.name} is not following the versioning convention (MAJOR.MINOR.PATCH e.g 0.0.1): https://semver.org/`,
    place: placeIn(csv, 'metadata', 'name'),
  };
}

/** `tide-gauge-v1.0.0-2`: a release of a version, which 6.3 prescribes. */
function isReleaseName(name: string): boolean {
  return /^.+-v[0-9]+\.[0-9]+\.[0-9]+(?:[-+].*)?-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*$/.test(name);
}

function* nameFollowsConvention({ csv }: CsvView): Iterable<Hit> {
  const isLong = csv.name.length > maxNameCharacters;
  if (isLong || csv.name.split('.v').length === 2 || isReleaseName(csv.name)) return;
  yield {
    message: `csv.metadata.Name ${csv.name} is not following the recommended naming convention: <operator-name>.v<semver> e.g. memcached-operator.v0.0.1`,
    place: placeIn(csv, 'metadata', 'name'),
  };
}

/** What makes operators good neighbours. @see docs/spec/bundle-format.md#good-practices */
export const goodPracticeChecks: readonly Check[] = [
  {
    id: 'GP1',
    ...practice,
    severity: 'error',
    title: 'the CSV has no Deployment',
    whatToDo: 'Describe the operator in spec.install.spec.deployments.',
    find: ofCsv(hasDeployments),
  },
  {
    id: 'GP2',
    ...practice,
    title: 'a container does not request CPU and memory',
    whatToDo: 'Set resources.requests.cpu and resources.requests.memory of the container.',
    find: ofCsv(containersRequest),
  },
  {
    id: 'GP3',
    ...practice,
    title: 'an owned or required CRD has no description',
    whatToDo: 'Describe in description what an object of the kind does.',
    find: ofCsv(crdsDescribed),
  },
  {
    id: 'GP4',
    ...practice,
    title: 'a channel is not named after candidate, fast or stable',
    whatToDo: 'Name channels candidate, fast or stable, with -MAJOR.MINOR behind when there are several.',
    find: channelsNamed,
  },
  {
    id: 'GP5',
    ...practice,
    title: 'the operator may create CRDs',
    whatToDo: 'Ship the CRDs in the bundle, or depend on the operator that does, and remove the permission.',
    find: ofCsv(createsNoCrds),
  },
  {
    id: 'GP6',
    ...practice,
    title: "the CSV's name does not end in a semantic version",
    whatToDo: 'Name the CSV PACKAGE.vMAJOR.MINOR.PATCH.',
    find: ofCsv(nameEndsInVersion),
  },
  {
    id: 'GP7',
    ...practice,
    title: "the CSV's name does not have the form PACKAGE.vVERSION or PACKAGE-vVERSION-RELEASE",
    whatToDo: 'Name the CSV PACKAGE.vMAJOR.MINOR.PATCH.',
    find: ofCsv(nameFollowsConvention),
  },
];
