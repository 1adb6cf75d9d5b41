import type { Field } from '../catalog/records.ts'
import { withoutBrackets } from './brackets.ts'

/** What a field is of, to stand within a sentence: as people say it, else its description without what only a reader of the catalog needs. */
export function subjectOf({ spoken, description, type }: Pick<Field, 'spoken' | 'description' | 'type'>): string {
  if (spoken !== undefined) return spoken
  const text = description.replace(/\.$/, '').replace(/, such as .*$/s, '')
  if (type === 'boolean') return small(text.replace(/^(?:Whether|True when) /, '').replace(/^The /, 'the ')).replaceAll('the point', 'this place')
  const short = shortened(text).replace(/^Name of (?=the )/, '').replace(/ or county equivalent\b/, '').replaceAll('the point', 'this place')
  return short.startsWith('How ') ? short : `the ${small(short).replace(/^the /, '')}`
}

/** The thing whose distance a field tells: "the nearest hospital". */
export function farThingOf(field: Field): string {
  return subjectOf(field).replace(/^the distance to /, '')
}

/** A text that begins a sentence. */
export function capital(text: string): string {
  return text === '' ? '' : text[0]!.toUpperCase() + text.slice(1)
}

/** A text that stands within a sentence. A name keeps its capitals. */
export function small(text: string): string {
  return /^[A-Z](?=[a-z-]|\s)/.test(text) && !/^[A-Z][a-z-]* [A-Z][a-z]/.test(text) && !properName.test(text) ? text[0]!.toLowerCase() + text.slice(1) : text
}

const properName = /^(?:Strahler|Koppen|Scott|Census|Landfire)/

/** Without brackets, asides and "at the point": what is left is what it is. */
function shortened(text: string): string {
  const bare = withoutBrackets(text).replace(/:.*$/s, '')
  const [head = '', ...rest] = bare.split(', ')
  const tail = rest.at(-1) ?? ''
  const isList = /^(?:\S+ ){1,2}(?:or|and) /.test(tail)
  const told = rest.length === 0 || isList ? bare : /^(?:that|whose|which) /.test(tail) ? `${head} ${tail}` : head
  return told.replace(/ (?:(?:at|of) the point|that (?:contains|covers) the point)$/, '')
}
