import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { analyse } from 'scslre'

/** A pattern with exponential or cubic time would not finish texts of these lengths within a test. */
const letters = { ofOneCharacter: 10_000, ofWords: 100_000 }
const src = join(import.meta.dir, '..', '..', 'src')

/** Patterns with superlinear time, each with the limit of its text. */
const bounded: Record<string, string> = {
  "/'(?:[^']|'')*'|\\{[^}]*\\}/g": 'a formula of the catalog, which was read before',
  '/"([^"]+)"|([A-Za-z_][\\w.]*)(?!\\w*\\s*\\()/g': 'a formula of the catalog, which was read before',
  '/ (asc|desc|rank .*)$/': 'a rule of the catalog',
  '/^((?:[A-Z\\d -]*[A-Z -])?)(0*)(\\d+)(?:[ -]?([A-Z]{1,2}|\\d\\/\\d{1,2}))?$/':
    'a house number of at most 24 characters',
  "/ in (?:the )?[a-z][a-z .'-]* (?:county|parish|borough) /": 'a question of at most 2,000 characters',
  '/,\\s*|\\s+(?:and|or)\\s+/': 'hints of at most 600 characters',
  '/,\\s+(?![^(]*\\))/': 'hints of at most 600 characters',
  '/([a-z\\d%]*)[\\s-]*$/i': 'the 24 characters before a number',
}

/** Patterns that the analysis reports although they do no harm, and why. They are run like the others. */
const harmless: Record<string, string> = {
  '/\\B(?=(?:\\d{3})+$)/g': 'the digits of a number',
  '/\\0[^]*$/': 'ends at the first match',
  '/\\0[\\s\\S]*$/': 'ends at the first match',
  '/:.*$/s': 'ends at the first match',
  '/([^\\r\\n]*)(\\r\\n|\\n|\\r|$)/g': 'matches at each start',
  '/\\/*$/': 'an address of the operator',
  '/\\/+$/': 'an address or a folder of the operator',
  '/\\d+$/': 'an address of the catalog',
  '/\\{([^{}]+,[^{}]+)\\}/': 'an address of the catalog',
  '/^\\s*([-+.\\de]+)\\s*[,\\s]\\s*([-+.\\de]+)\\s*$/i': 'an argument of the command line',
  '/^(?:(?:and|or)\\s+)?(under|below|less than|above|over|more than)\\s+(-?\\d[\\d,.]*)\\s*(%|[a-zA-Z]+\\b)?:?\\s*(.*)$/i':
    'words of the catalog',
  [String.raw`/\b(?:tomorrow|tonight|next (?:week|weekend|month|year|summer|winter|spring|fall|[a-z]+day)|this weekend|forecast|(?<!\b(?:was|were|been|lost|gained|changed)\b.*)in (?:\d+|two|three|five|ten|twenty) (?:days|weeks|months|years))\b/`]:
    'a question of at most 2,000 characters',
}

const literals = [
  ...new Set(
    readdirSync(src, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.startsWith('web/'))
      .flatMap((name) => literalsIn(readFileSync(join(src, name), 'utf8'))),
  ),
].toSorted()

const listed = { ...bounded, ...harmless }

test('every pattern in the lists still exists', () => {
  expect(literals.length).toBeGreaterThan(250)
  expect(Object.keys(listed).filter((literal) => !literals.includes(literal))).toEqual([])
})

test('no other pattern takes superlinear time for one repeated character', () => {
  const isSuperlinear = (literal: string) => analyse(patternOf(literal)).reports.length > 0
  expect(literals.filter((literal) => isSuperlinear(literal) && !Object.hasOwn(listed, literal))).toEqual([])
  expect(isSuperlinear(String.raw`/\s+$/`)).toBe(true)
})

describe('a long text is read in time by', () => {
  test.each(literals.filter((literal) => !Object.hasOwn(bounded, literal)))('%s', (literal) => {
    const pattern = patternOf(literal)
    let read = 0
    for (const piece of piecesFor(literal)) {
      const text = piece.repeat((piece.length === 1 ? letters.ofOneCharacter : letters.ofWords) / piece.length)
      // The text ends with a character that matches nothing.
      for (const end of ['\u0001', '\n\u0001']) {
        text.concat(end).replace(pattern, '')
        read++
      }
    }
    expect(read).toBeGreaterThan(20)
  })
})

/** Texts that can cause backtracking when repeated: literals of the pattern, and texts that match several parts. */
function piecesFor(literal: string): string[] {
  const own =
    patternOf(literal)
      .source.replaceAll(/\\[a-zA-Z]/g, ' ')
      .replaceAll('\\', '')
      .match(/[^[\](){}|*+?^$.]{1,20}/g) ?? []
  return [...new Set([...' 0aA\n.,-/"\'([{<:', '0 ', 'a ', 'a-', '1.', ...own])]
}

function patternOf(literal: string): RegExp {
  const end = literal.lastIndexOf('/')
  return new RegExp(literal.slice(1, end), literal.slice(end + 1))
}

/** Returns the regular expression literals of a file. */
function literalsIn(text: string): string[] {
  return [
    ...text.matchAll(
      /(?<=(?:[(,=:[!?&|{}>]|return)[ \n]*)\/(?![/*])(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[dgimsuvy]*/g,
    ),
  ]
    .map(([literal]) => literal)
    .filter(isPattern)
}

function isPattern(literal: string): boolean {
  try {
    patternOf(literal)
    return true
  } catch {
    return false
  }
}
