/** How many of the problems a condition lists. */
const maxListed = 10;

/** The text of a failure with what was tried, a line each: the same as long as the same is found.
 *  @see docs/spec/cluster-version.md#signature-content */
export function explainedFailure(message: string, problems: readonly string[]): string {
  const more = problems.length > maxListed ? [`and ${problems.length - maxListed} more`] : [];
  return [message, ...problems.slice(0, maxListed), ...more].join('\n* ');
}
