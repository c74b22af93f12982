/** Which releases a graph offers, and who must have signed its data. */
export const offeredOptions = {
  release: {
    kind: 'list',
    placeholder: 'RELEASE',
    description: 'Offer this release: the reference of an image by digest or tag; may be repeated.',
  },
  releases: {
    kind: 'text',
    placeholder: 'DIR',
    description: 'Offer the releases of a folder: OCI image layouts, as release build --file writes them.',
  },
  repository: {
    kind: 'text',
    placeholder: 'REPOSITORY',
    description: 'Repository that clusters fetch the releases of --releases from.',
  },
  arch: {
    kind: 'text',
    placeholder: 'ARCH',
    default: 'amd64',
    description: 'Architecture of releases that do not run on several.',
  },
  policy: {
    kind: 'text',
    placeholder: 'FILE',
    description: 'Image policy, whose signers must have signed the image of the graph data.',
  },
} as const;

/** What an update service offers, and where. */
export const graphServeOptions = {
  port: {
    kind: 'number',
    placeholder: 'PORT',
    default: 8081,
    range: [0, 65_535],
    description: 'Port to listen on; 0 selects a free port.',
  },
  'bind-address': {
    kind: 'text',
    placeholder: 'ADDRESS',
    description: 'Address to listen on, for example 127.0.0.1 (default: all addresses).',
  },
} as const;

/** What `longshore release graph draw` shows of a graph. */
export const graphDrawOptions = {
  channel: { kind: 'text', placeholder: 'NAME', description: 'Channel; required unless the graph is in a file.' },
  from: {
    kind: 'text',
    placeholder: 'VERSION',
    description: 'With text or json, show the path of updates from this version.',
  },
  to: { kind: 'text', placeholder: 'VERSION', description: 'Where the path leads (default: the newest version).' },
  output: {
    short: 'o',
    kind: 'text',
    placeholder: 'text|json|svg',
    default: 'text',
    choices: ['text', 'json', 'svg'],
    description: 'Output format.',
  },
} as const;

/** Whose updates are shown. */
export const updatesOptions = {
  graph: {
    kind: 'text',
    placeholder: 'FILE|URL',
    default: 'https://api.openshift.com/api/upgrades_info/v1/graph',
    description: 'Update service, or a file with its response.',
  },
  channel: { kind: 'text', placeholder: 'NAME', description: 'Channel (required).' },
  arch: { kind: 'text', placeholder: 'ARCH', default: 'amd64', description: 'Architecture of the cluster.' },
} as const;
