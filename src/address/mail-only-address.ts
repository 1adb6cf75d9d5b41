import type { AddressToken } from './tokenizer.ts'

/**
 * The kind of mail address that has no location (PO box, military, general delivery), or null. A street with a box next
 * to it counts as a street.
 */
export function mailOnlyKindOf(words: readonly AddressToken[]): 'po_box' | 'military' | 'general_delivery' | null {
  const keys = words.map(({ key }) => key)
  const [last, before] = [keys.at(-1) ?? '', keys.at(-2) ?? '']
  const code = /^\d{5}(?:-\d{4})?$/.test(last) ? before : last
  const isMilitaryZip = /^(?:09\d{3}|340\d{2}|96[2-6]\d{2})(?:-\d{4})?$/.test(last)
  if (/^A[AEP]$/.test(code) && (isMilitaryZip || keys.some(isMilitaryPostOffice))) return 'military'
  if (isMilitaryZip && keys.some(isMilitaryPostOffice)) return 'military'
  if (keys.some((key, i) => /^GEN(?:ERAL)?$/.test(key) && /^DEL(?:IVERY)?$/.test(keys[i + 1] ?? '')))
    return 'general_delivery'
  const boxIndex = findBox(keys)
  return boxIndex >= 0 && !keys.slice(0, boxIndex).some((key, i) => /^\d/.test(key) && i < boxIndex - 1)
    ? 'po_box'
    : null
}

function isMilitaryPostOffice(key: string): boolean {
  return /^[ADF]PO$/.test(key)
}

/** The index at which a post office box, rural route box or highway contract box starts; -1 if there is none. */
function findBox(keys: readonly string[]): number {
  return keys.findIndex((key, i) => {
    const [second = '', third = ''] = [keys[i + 1], keys[i + 2]]
    if (/^(?:POB|POBOX|PO-BOX)\d*$/.test(key)) return true
    if (/^(?:PO|P\/O)$/.test(key) && /^(?:BOX|BX|DRAWER)\d*$/.test(second)) return true
    if (key === 'P' && second === 'O' && /^(?:BOX|BX|DRAWER)\d*$/.test(third)) return true
    if (key === 'POST' && second === 'OFFICE' && /^(?:BOX|BX|DRAWER)\d*$/.test(third)) return true
    if (key === 'BOX' && i === 0 && /^\d/.test(second)) return true
    return i === 0 && /^(?:RR|HC|HCR|RFD|RURAL|STAR)\d*$/.test(key) && keys.slice(1, 5).includes('BOX')
  })
}
