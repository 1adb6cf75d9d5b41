const datePattern = /\b(\d{4})-(0[1-9]|1[0-2])(?:-(0[1-9]|[12]\d|3[01]))?(?!\d)/g
const monthNames = 'January February March April May June July August September October November December'.split(' ')

/** Replaces the dates in a text, such as 2026-09-24, by their years: their other digits are not numbers. */
export function datesAsYears(text: string): string {
  return text.replace(datePattern, '$1')
}

/** Removes the dates of the sources from an answer, as they stand there or with the name of the month. */
export function withoutDatesOf(sources: readonly string[], answer: string): string {
  const forms = sources.flatMap((source) => [...source.matchAll(datePattern)].flatMap(writtenForms))
  return forms.toSorted((a, b) => b.length - a.length).reduce((text, form) => text.replaceAll(form, ' '), answer)
}

/** A date as people write it: 2026-09-24, September 24, 2026, 24 September 2026 and September 24, also as Sep. */
function writtenForms([iso, year, month, day]: RegExpExecArray): string[] {
  const name = monthNames[Number(month) - 1]!
  const names = [name, name.slice(0, 3)]
  if (day === undefined) return [iso]
  const number = Number(day)
  return [iso, ...names.flatMap((it) => [`${it} ${number}, ${year}`, `${number} ${it} ${year}`, `${it} ${number}`])]
}
