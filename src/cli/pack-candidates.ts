/** An address that may hold a file of a publisher, and the year that is in it. */
export type Candidate = { url: string; year: number | null }

/** How far back a file of a year is looked for: publishers need some months, and one may skip a year. */
const years = 4

/** The addresses that a recipe's address stands for, best first: of the years from the last whole one backward, and of each word of `{a,b}`. */
export function candidatesOf(address: string, now: Date): Candidate[] {
  const last = now.getUTCFullYear() - 1
  const dated: Candidate[] = address.includes('{year}')
    ? Array.from({ length: years }, (_, i) => ({ url: address.replaceAll('{year}', String(last - i)), year: last - i }))
    : [{ url: address, year: null }]
  return dated.flatMap(({ url, year }) => wordsOf(url).map((it) => ({ url: it, year })))
}

/** Every reading of the first `{a,b}` of a text. */
function wordsOf(url: string): string[] {
  const [all, words] = /\{([^{}]+,[^{}]+)\}/.exec(url) ?? []
  return all === undefined ? [url] : words!.split(',').map((word) => url.replace(all, word))
}
