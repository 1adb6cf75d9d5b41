/**
 * The cache key of an address: case, spacing, accents and punctuation (except `-`, `#` and `/`) are normalized. Words
 * are not expanded: Parkway and Pkwy have different keys.
 */
export function addressKeyOf(address: string): string {
  // Nearly all addresses are ASCII, for which simple patterns do.
  if (/^[\x20-\x7e]*$/.test(address))
    return address
      .toLowerCase()
      .replaceAll("'", '')
      .replace(/[^a-z0-9#/-]+/g, ' ')
      .trim()
  return address
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/['’]/g, '')
    .replace(/[^\p{L}\p{N}#/-]+/gu, ' ')
    .trim()
}
