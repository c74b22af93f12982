import { rules } from '../webhook/rules.ts';

/** The table of rules in docs/monitoring.md. */
export function rulesDocument(): string {
  const rows = Object.entries(rules).map(([name, { requirement }]) => `| \`${name}\` | ${requirement} |\n`);
  return `| rule | requirement |\n|---|---|\n${rows.join('')}`;
}
