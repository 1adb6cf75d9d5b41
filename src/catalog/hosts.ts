import type { Dataset } from './entry.ts'

/** The hosts of the publishers whose services a catalog names: where a redirect may lead. */
export function hostsOf(datasets: Iterable<Dataset>): Set<string> {
  const addresses = [...datasets].flatMap(({ serve }) => serve).flatMap(addressesIn)
  return new Set(addresses.flatMap((address) => hostOf(address) ?? []))
}

function addressesIn(value: unknown): string[] {
  if (typeof value === 'string') return /^https?:\/\//.test(value) ? [value] : []
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(addressesIn) : []
}

/** The host of an address that may have `{names}` in its path. */
function hostOf(address: string): string | null {
  return /^https?:\/\/([^/?#{}]+)/.exec(address)?.[1]?.toLowerCase() ?? null
}
