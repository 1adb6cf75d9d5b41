import type { AddressToken } from './tokenizer.ts'

/**
 * Drops a mail box that stands beside a street: `901 Janesville Ave PO Box 901`, `104 N Jefferson RR 1 Box 3468`,
 * `Lockbox 848104`. A box without a street before it stays.
 */
export function dropMailBox(words: AddressToken[]): AddressToken[] {
  const begin = words.findIndex((_word, i) => i !== 1 && boxLength(words, i) > 0)
  if (begin < 0) return words
  const end = begin + boxLength(words, begin)
  if (begin === 0) return end < words.length && words[end - 1]!.endsSegment ? words.slice(end) : words
  const before = words.slice(0, begin)
  const last = before.at(-1)!
  return [...before.slice(0, -1), { ...last, endsSegment: true }, ...words.slice(end)]
}

/** How many words the box at an index takes; 0 if there is none. */
function boxLength(words: readonly AddressToken[], i: number): number {
  const keys = words.slice(i, i + 6).map(({ key }) => key)
  const start = boxStartLength(keys)
  if (start === 0) return 0
  let length = start
  while (/^(?:#|NO|NUMBER)$/.test(keys[length] ?? '')) length++
  return isBoxNumber(keys[length]) ? length + 1 : start === 1 && keys[0] === 'PO' ? 0 : start
}

function boxStartLength(keys: readonly string[]): number {
  const [first = '', second = '', third = ''] = keys
  if (/^(?:LOCKBOX|MAILBOX|POB|POBOX|PO-BOX)$/.test(first)) return 1
  if (/^(?:PO|P\/O|P\.O)$/.test(first) && /^(?:BOX|BX|DRAWER)$/.test(second)) return 2
  if (first === 'P' && second === 'O' && /^(?:BOX|BX|DRAWER)$/.test(third)) return 3
  if (/^(?:RR|RFD)$/.test(first) && /^\d+$/.test(second) && /^(?:BOX|BX)$/.test(third)) return 3
  return first === 'PO' && /^\d+$/.test(second) ? 1 : 0
}

function isBoxNumber(key = ''): boolean {
  return /^[A-Z]?-?\d+[A-Z]?$|^[A-Z]$/.test(key)
}
