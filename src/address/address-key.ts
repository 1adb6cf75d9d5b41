/**
 * The cache key of an address: case, spacing, accents and punctuation (except `-`, `#` and `/`) are normalized. Words
 * are not expanded: Parkway and Pkwy have different keys.
 */
export function addressKeyOf(address: string): string {
  return address
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/['’]/g, '')
    .replace(/[^\p{L}\p{N}#/-]+/gu, ' ')
    .trim()
}
