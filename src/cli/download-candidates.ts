/** An address that may hold a file of a publisher, and the year that is in it. */
export type DownloadCandidate = { url: string; year: number | null }

/** How far back a file of a year is looked for: publishers need some months, and one may skip a year. */
const yearsBack = 4

/** The addresses that a recipe's address stands for, best first: of the years from the last whole one backward, and of each word of `{a,b}`. */
export function downloadCandidatesOf(address: string, now: Date): DownloadCandidate[] {
  const lastYear = now.getUTCFullYear() - 1
  const datedUrls: DownloadCandidate[] = address.includes('{year}')
    ? Array.from({ length: yearsBack }, (_, i) => ({
        url: address.replaceAll('{year}', String(lastYear - i)),
        year: lastYear - i,
      }))
    : [{ url: address, year: null }]
  return datedUrls.flatMap(({ url, year }) => expandAlternatives(url).map((it) => ({ url: it, year })))
}

/** Every reading of the first `{a,b}` of a text. */
function expandAlternatives(url: string): string[] {
  const [pattern, alternatives] = /\{([^{}]+,[^{}]+)\}/.exec(url) ?? []
  return pattern === undefined
    ? [url]
    : alternatives!.split(',').map((alternative) => url.replace(pattern, alternative))
}
