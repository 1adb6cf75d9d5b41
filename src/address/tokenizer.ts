/** A word of an address: as it was written, as it is compared (capitals, no accents, no dots), and whether a comma follows it. */
export type AddressToken = { text: string; key: string; endsSegment: boolean }

/** The words of an address. `#`, `&` and `@` are words of their own; `A&B` is one, `Main&Elm` three. */
export function tokenizeAddress(text: string): AddressToken[] {
  const tokens: AddressToken[] = []
  for (const segment of text
    .normalize('NFC')
    .replace(/[½¼¾]/g, (sign) => fractions[sign] ?? sign)
    .split(/[,;\n\r\t|]/)) {
    for (const word of segment.split(/[\s()[\]{}"“”<>]/))
      for (const piece of splitSymbols(word)) {
        const key = normalizeWord(piece)
        if (key !== '')
          tokens.push({ text: piece.replace(/^[.:]+/, '').replace(/[.:]{1,9}$/, ''), key, endsSegment: false })
      }
    const last = tokens.at(-1)
    if (last) last.endsSegment = true
  }
  return tokens
}

/** A word as it is compared: capitals, no accents, no apostrophes, no dots but within a number, hyphens of one kind. */
function normalizeWord(word: string): string {
  if (/^[A-Z0-9]*$/.test(word)) return word
  return word
    .normalize('NFD')
    .replace(/[\u0300-\u036f'’‘`:*?!]|\.(?!\d)|(?<!\d)\./g, '')
    .replace(/[‐‑‒–—]/g, '-')
    .toUpperCase()
    .replace(/^-+|-{1,9}$/g, '')
}

/** Words of a name as they are compared. */
export function normalizeWords(name: string): string[] {
  return tokenizeAddress(name).map(({ key }) => key)
}

/** A name as it is shown: what was written in both cases stays; else the first letter of every word is a capital. */
export function displayNameOf(tokens: readonly AddressToken[]): string {
  const name = tokens.map(({ text }) => text).join(' ')
  return /\p{Lu}/u.test(name) && /\p{Ll}/u.test(name) ? name : tokens.map(({ text }) => titleCase(text)).join(' ')
}

/** `MAIN` as `Main`, `o-brien` as `O-Brien`, `7TH` as `7th`, `a1a` as `A1A`. */
export function titleCase(word: string): string {
  if (/[\d&]/.test(word)) return ordinalPattern.test(word.toUpperCase()) ? word.toLowerCase() : word.toUpperCase()
  return word.toLowerCase().replace(/(?<![\p{L}'’])\p{L}/gu, (letter) => letter.toUpperCase())
}

/** 1ST, 22ND, 43RD, 7TH. */
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
