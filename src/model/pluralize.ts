/** Returns a count with its noun: `1 run`, `2 runs`, `0 addresses`. */
export function pluralize(count: number, noun: string): string {
  const plural = noun.endsWith('s') ? `${noun}es` : `${noun}s`
  return `${count.toLocaleString('en-US')} ${count === 1 ? noun : plural}`
}
