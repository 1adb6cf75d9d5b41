import type { Dataset } from './records.ts'

/** The hosts of the publishers whose services a catalog names: where a redirect may lead. */
export function sourceHostsOf(datasets: Iterable<Dataset>): Set<string> {
  const urls = [...datasets].flatMap(({ serve }) => serve).flatMap(urlsIn)
  return new Set(urls.flatMap((url) => hostOf(url) ?? []))
}

function urlsIn(value: unknown): string[] {
  if (typeof value === 'string') return /^https?:\/\//.test(value) ? [value] : []
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(urlsIn) : []
}

/** The host of an address that may have `{names}` in its path. */
function hostOf(url: string): string | null {
  return /^https?:\/\/([^/?#{}]+)/.exec(url)?.[1]?.toLowerCase() ?? null
}
