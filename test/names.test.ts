import { expect, test } from 'bun:test'
import { join } from 'node:path'

const root = join(import.meta.dir, '..')
const files = [...new Bun.Glob('{src,catalog,scripts,test}/**/*.{ts,tsx}').scanSync(root)]
  .filter((file) => !file.endsWith('.d.ts'))
  .toSorted()
const texts = new Map(
  await Promise.all(files.map(async (file) => [file, await Bun.file(join(root, file)).text()] as const)),
)

/** Words that the project no longer uses in names: private metaphors, and words that say too little. */
const retiredWords = new Set(
  [
    'house houses desk shelf shelves hall door doors guest spell spells chore chores ballast stocktaking manners',
    'means wanted asked telling told tell lack lacking beholden unhurried patient patiently condemned astray strays',
  ].flatMap((line) => line.split(' ')),
)
/** A house number is the term of postal addresses; arithmetic and weather have means of their own. */
const standardTerms = new RegExp(
  ['house_?numbers?', 'houses?on', '(?:whole|row|light|ware|open|green)_?house'].join('|'),
  'gi',
)

test('a name that crosses files is exported once', () => {
  const owners = new Map<string, Set<string>>()
  for (const [file, text] of texts) {
    for (const [, name = ''] of text.matchAll(
      /^export (?:async )?(?:function\*?|const|let|type|class|interface) (\w+)/gm,
    ))
      owners.set(name, (owners.get(name) ?? new Set()).add(file))
  }
  const repeated = [...owners].filter(([, places]) => places.size > 1)
  expect(repeated.map(([name, places]) => [name, ...places])).toEqual([])
})

test('a part is one of a pack, a geometry, an area, a job or a workbook', () => {
  const folders =
    /^(?:src\/(?:packs|files|build-packs|cli\/(?:pack|run)|geo|areas|http\/report|drivers\/table)|test|scripts|catalog)\//
  const found = [...texts].flatMap(([file, text]) =>
    [
      ...text.matchAll(
        /^export (?:async )?(?:function\*?|const|let|type|class|interface) (\w*[pP]art(?:s|Of)?(?![a-z])\w*)/gm,
      ),
    ]
      .filter(() => !folders.test(file))
      .map(([, name]) => `${file}: ${name}`),
  )
  expect(found).toEqual([])
})

test('no name has a word that the glossary retired', () => {
  const found = [...texts].flatMap(([file, text]) =>
    [...new Set(identifiersIn(text))].filter(hasRetiredWord).map((name) => `${file}: ${name}`),
  )
  expect(found).toEqual([])
})

/**
 * Comments, strings, template literals and regular expressions, matched in one pass because each can contain the
 * others.
 */
const literals = new RegExp(
  [
    /\/\*[\s\S]*?\*\//,
    /(?<!:)\/\/.*/,
    /'(?:[^'\\\n]|\\.)*'/,
    /"(?:[^"\\\n]|\\.)*"/,
    /`(?:[^`\\$]|\\.|\$(?!\{)|\$\{(?:[^`{}]|`[^`]*`|\{[^{}]*\})*\})*`/,
    /(?<=[=(,:?&|![]\s*)\/(?![*/])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[dgimsuvy]*/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
)

/** The identifiers of a source text. Of literals, only the expressions inside `${}` count. */
function identifiersIn(text: string): string[] {
  const code = text.replace(literals, (literal) => (literal.startsWith('`') ? expressionsIn(literal) : ' '))
  return code.match(/[A-Za-z_$][\w$]*/g) ?? []
}

function expressionsIn(template: string): string {
  return [...template.matchAll(/\$\{((?:[^`{}]|`[^`]*`|\{[^{}]*\})*)\}/g)]
    .map(([, expression = '']) => expression.replace(literals, ' '))
    .join(' ')
}

function hasRetiredWord(name: string): boolean {
  const words = name
    .replaceAll(standardTerms, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[_$]+/)
  return words.some((word) => retiredWords.has(word))
}
