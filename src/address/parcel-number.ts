/**
 * Whether a text is a parcel number and not an address: `APN 123-45-678`, `0512-34-567-000`, `R0123456`, `05 12 345
 * 6789`.
 */
export function isParcelNumber(text: string): boolean {
  const normalized = text.trim().toUpperCase()
  if (
    /^(?:A\.?P\.?N\.?|PARCEL|PIN|PID|PARID|TAX ?ID|FOLIO|ASSESSOR'?S? PARCEL)(?: (?:NUMBER|NUM|NO|ID)\.?)?[ :#.]{1,3}(?=[\w.-]*\d)[\w. /-]{3,40}$/.test(
      normalized,
    )
  )
    return true
  if (/^\d{5}-\d{4}$/.test(normalized) || !/^[\dA-Z. /-]{6,40}$/.test(normalized)) return false
  const groups = normalized.split(/[ ./-]+/)
  const digits = normalized.replace(/\D/g, '').length
  if (
    digits < 6 ||
    !groups.every((group) => /^(?:[A-Z]{0,2}\d{1,20}[A-Z]{0,2}|[A-Z])$/.test(group)) ||
    groups.every((group) => /^[A-Z]/.test(group) && groups.length > 1)
  )
    return false
  if (!normalized.includes(' ')) return true
  return groups.length > 2 && groups.every((group) => /^\d+$/.test(group)) && !/\d{5}$/.test(groups.at(-1)!)
}
