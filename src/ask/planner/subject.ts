import type { Field } from '../../catalog/records.ts'

/** Returns the subject of a field for use within a sentence: its spoken form, else a shortened description. */
export function subjectOf({ spoken, description, type }: Pick<Field, 'spoken' | 'description' | 'type'>): string {
  if (spoken !== undefined) return spoken
  const text = description.replace(/\.$/, '').replace(/, such as .*$/s, '')
  if (type === 'boolean')
    return uncapitalize(text.replace(/^(?:Whether|True when) /, '').replace(/^The /, 'the ')).replaceAll(
      'the point',
      'this place',
    )
  const short = shorten(text)
    .replace(/^Name of (?=the )/, '')
    .replace(/ or county equivalent\b/, '')
    .replaceAll('the point', 'this place')
  return short.startsWith('How ') ? short : `the ${uncapitalize(short).replace(/^the /, '')}`
}

/** Returns the feature whose distance a field reports: "the nearest hospital". */
export function distanceSubjectOf(field: Field): string {
  return subjectOf(field).replace(/^the distance to /, '')
}

/** Capitalizes the first letter, to begin a sentence. */
export function capitalize(text: string): string {
  return text === '' ? '' : text[0]!.toUpperCase() + text.slice(1)
}

/** Lowercases the first letter, for use within a sentence. Names keep their capitals. */
export function uncapitalize(text: string): string {
  return /^[A-Z](?=[a-z-]|\s)/.test(text) && !/^[A-Z][a-z-]* [A-Z][a-z]/.test(text) && !properNamePattern.test(text)
    ? text[0]!.toLowerCase() + text.slice(1)
    : text
}

const properNamePattern = /^(?:Strahler|Koppen|Scott|Census|Landfire)/

/** Removes parentheses, asides and "at the point". */
function shorten(text: string): string {
  const withoutAsides = withoutBrackets(text).replace(/:.*$/s, '')
  const [head = '', ...rest] = withoutAsides.split(', ')
  const tail = rest.at(-1) ?? ''
  const isList = /^(?:\S+ ){1,2}(?:or|and) /.test(tail)
  const subject =
    rest.length === 0 || isList ? withoutAsides : /^(?:that|whose|which) /.test(tail) ? `${head} ${tail}` : head
  return subject.replace(/ (?:(?:at|of) the point|that (?:contains|covers) the point)$/, '')
}

/** Removes text in parentheses and the space before it. An unclosed parenthesis stays. */
export function withoutBrackets(text: string): string {
  const parts = text.split(')')
  const rest = parts.pop()!
  return parts.map(withoutOpenBracket).join('') + rest
}

/** Returns the text before the first opening parenthesis; without one, the text and its closing parenthesis. */
function withoutOpenBracket(part: string): string {
  const opens = part.indexOf('(')
  return opens < 0 ? `${part})` : part.slice(0, opens).trimEnd()
}
