/**
 * A word of an address: as written (`text`), normalized for comparison (`key`: capitals, no accents, no periods), and
 * whether a comma follows it.
 */
export type AddressToken = { text: string; key: string; endsSegment: boolean }

/** Splits an address into words. `#`, `&` and `@` are separate words; `A&B` is one word, `Main&Elm` is three. */
export function tokenizeAddress(text: string): AddressToken[] {
  const tokens: AddressToken[] = []
  let last: AddressToken | null = null
  for (const piece of splitWords(text)) {
    if (piece === ',') {
      if (last) last.endsSegment = true
      continue
    }
    const isPlain = plainWord.test(piece)
    const key = isPlain ? piece.toUpperCase() : normalizeWord(piece)
    if (key === '') continue
    last = { text: isPlain ? piece : withoutEndMarks(piece), key, endsSegment: false }
    tokens.push(last)
  }
  if (last) last.endsSegment = true
  return tokens
}

/** The words of a text, and a comma where a part of it ends. */
function splitWords(text: string): string[] {
  if (plainText.test(text) && !boxAfterSlash.test(text)) return text.match(/[^ ,]+|,/g) ?? []
  return text
    .normalize('NFC')
    .replace(/&(?:#38|amp);/g, '&')
    .replaceAll('&#189;', '½')
    .replace(/[½¼¾]/g, (sign) => fractions[sign] ?? sign)
    .replace(boxAfterSlash, ',')
    .split(/([,;\n\r\t|]|\\n)/)
    .flatMap((part, i) => (i % 2 === 1 ? [','] : part.split(/[\s()[\]{}"“”<>]/).flatMap(splitSymbols)))
}

/** The slash in `Main St/PO Box 12`. */
const boxAfterSlash = /\/(?=P\.? ?O\.? ?BOX)/i
/** A text whose words have no symbols. */
const plainText = /^[A-Za-z0-9 ,.'/-]*$/
/** A word that its normalized form does not differ from, except in capitals. */
const plainWord = /^[A-Za-z0-9]*$/
const plainLetters = /^[A-Za-z]+$/
const plainName = /^[A-Za-z0-9 ]*$/

function withoutEndMarks(piece: string): string {
  return piece.replace(/^[.:]+/, '').replace(/[.:]{1,9}$/, '')
}

/**
 * The normalized form of a word: capitals, no accents or apostrophes, periods only inside numbers, one kind of hyphen.
 */
function normalizeWord(word: string): string {
  return word
    .normalize('NFD')
    .replace(/[\u0300-\u036f'’‘`:*?!]|\.(?!\d)|(?<!\d)\./g, '')
    .replace(/[‐‑‒–—]/g, '-')
    .toUpperCase()
    .replace(/^-+|-{1,9}$/g, '')
}

/** The normalized words of a name. */
export function normalizeWords(name: string): string[] {
  if (!plainName.test(name)) return tokenizeAddress(name).map(({ key }) => key)
  const words = name.toUpperCase().split(' ')
  return words.includes('') ? words.filter((word) => word !== '') : words
}

/** A name for display. Mixed-case input stays as written; otherwise each word is capitalized. */
export function displayNameOf(tokens: readonly AddressToken[]): string {
  const name = tokens.map(({ text }) => text).join(' ')
  if (plainMixedCase.test(name)) return name
  return /\p{Lu}/u.test(name) && /\p{Ll}/u.test(name) ? name : tokens.map(({ text }) => titleCase(text)).join(' ')
}

/** A capital and a small letter next to it, as in nearly all names of mixed case. */
const plainMixedCase = /[A-Z][a-z]/

/** `MAIN` as `Main`, `o-brien` as `O-Brien`, `7TH` as `7th`, `a1a` as `A1A`. */
export function titleCase(word: string): string {
  if (plainLetters.test(word)) return word[0]!.toUpperCase() + word.slice(1).toLowerCase()
  if (/[\d&]/.test(word)) return ordinalPattern.test(word.toUpperCase()) ? word.toLowerCase() : word.toUpperCase()
  return word.toLowerCase().replace(/(?<![\p{L}'’])\p{L}/gu, (letter) => letter.toUpperCase())
}

/** Matches 1ST, 22ND, 43RD, 7TH. */
export const ordinalPattern = /^\d{1,6}(?:ST|ND|RD|TH)$/

const fractions: Record<string, string> = { '½': ' 1/2', '¼': ' 1/4', '¾': ' 3/4' }

function splitSymbols(word: string): string[] {
  if (!/[#&@]/.test(word)) return [word]
  return word.split(/([#@])/).flatMap((piece) => {
    const [left = '', right = '', ...more] = piece.split('&')
    return more.length === 0 &&
      piece.includes('&') &&
      left.length !== 1 &&
      right.length !== 1 &&
      !(left.length < 3 && left !== '' && right.length < 3)
      ? [left, '&', right]
      : [piece]
  })
}
