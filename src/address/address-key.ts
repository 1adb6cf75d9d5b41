/**
 * What an address is kept under: its form alone is made equal (case, spacing, accents, punctuation except `-`, `#` and `/`).
 * Words stay what they are: Parkway and Pkwy are two addresses.
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
