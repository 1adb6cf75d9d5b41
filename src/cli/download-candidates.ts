/** A URL that may have the publisher's file, and the year in it. */
export type DownloadCandidate = { url: string; year: number | null }

/** How many years to try: publishers are months late, and some skip a year. */
const yearsBack = 4

/**
 * Expands `{year}` (last year first, then earlier ones) and `{a,b}` in the URL of a recipe. The best candidate comes
 * first.
 */
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

/** Returns one URL for each alternative of the first `{a,b}`. */
function expandAlternatives(url: string): string[] {
  const [pattern, alternatives] = /\{([^{}]+,[^{}]+)\}/.exec(url) ?? []
  return pattern === undefined
    ? [url]
    : alternatives!.split(',').map((alternative) => url.replace(pattern, alternative))
}
