/** How the walkthrough is made. */
export const demoOptions = {
  console: {
    kind: 'flag',
    default: false,
    description: 'Serve the web console with a catalog and a bundle to try, until Ctrl-C.',
  },
  open: { kind: 'flag', default: false, description: 'With --console: open it in the browser.' },
} as const;
