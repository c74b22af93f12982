/** What files become. */
export const imageFormOption = {
  as: {
    kind: 'text',
    placeholder: 'image|artifact',
    default: 'image',
    choices: ['image', 'artifact'],
    description: 'Container image, which every registry accepts, or OCI artifact.',
  },
} as const;

/** Where a built image goes. */
export const imageTargetOptions = {
  file: {
    short: 'o',
    kind: 'text',
    placeholder: 'FILE.tar',
    description: 'Write an OCI image layout to FILE.tar.',
  },
  push: { kind: 'text', placeholder: 'REF', description: 'Push to a registry: HOST/REPOSITORY[:TAG].' },
} as const;
