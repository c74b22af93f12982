/** `1 error`, `2 errors`. */
export function counted(amount: number, word: string): string {
  return `${amount} ${word}${amount === 1 ? '' : 's'}`;
}
