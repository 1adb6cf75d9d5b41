import type { Field } from '../catalog/entry.ts'
import type { Fact } from './fact.ts'
import { meaningOf } from './meaning.ts'
import { shown } from './shown.ts'

/** A fact as a sentence that can be checked: what it is of, its value with unit and meaning, its vintage and its source. */
export function sentenceOf({ field, result }: Fact, cited: string, asked: string | null): string {
  if (result.status === 'failed') return ''
  if (result.status === 'absent') return `${capital(subjectOf(field))}: no value here. ${absence(field, result.absent_reason)} ${cited}`
  const meaning = meaningOf(result.value, field)
  return `${statement(field, result.value, asked)}${meaning === null ? '' : ` (${meaning})`}${ofVintage(result.vintage)} ${cited}.`
}

/** The nearest thing by its name and its distance, in one sentence. */
export function nearestSentence(name: Fact, distance: Fact, cited: string, asked: string | null): string {
  const thing = subjectOf(name.field).replace(/^the name of /, '')
  const meaning = meaningOf(distance.result.value!, distance.field)
  return `${capital(thing)} is ${String(name.result.value)}, ${shown(distance.result.value!, distance.field, asked)} away${meaning === null ? '' : ` (${meaning})`}${ofVintage(name.result.vintage)} ${cited}.`
}

/** What a field is of, to stand within a sentence: its description without its end. */
export function subjectOf({ description }: Pick<Field, 'description'>): string {
  const text = description.replace(/\.$/, '').replace(/, such as .*$/, '').replace(/^(?:Whether|True when) /, '')
  const first = /^[A-Z](?=[a-z-])/.test(text) && !properName.test(text) ? text[0]!.toLowerCase() + text.slice(1) : text
  return description.startsWith('How ') || description.startsWith('Whether') || description.startsWith('True when') ? first : `the ${first}`
}

const properName = /^(?:Strahler|Koppen|Scott|Census|Military|Landfire|Geohash of)/

function statement({ description, ...field }: Field, value: string | number | boolean, asked: string | null): string {
  const subject = subjectOf({ description })
  if (typeof value !== 'boolean') return description.startsWith('How ') ? `${capital(subject)}: ${shown(value, field, asked)}` : `${capital(subject)} is ${shown(value, field, asked)}`
  if (!/^the point (?:is|lies|falls|floods) /.test(subject)) return `${capital(subject)}: ${value ? 'yes' : 'no'}`
  return capital(value ? subject : subject.replace('the point is ', 'the point is not ').replace(/^the point (lie|fall|flood)s /, 'the point does not $1 '))
}

const reasons = { outside_coverage: 'The place is outside what the source covers', not_mapped: 'The place is not mapped', no_data: 'The source has no data for it', none_within_radius: 'There is none within the distance that is searched' }

function absence({ null_meaning }: Field, reason: keyof typeof reasons): string {
  return reason === 'outside_coverage' || null_meaning === null ? `${reasons[reason]}.` : `${null_meaning.split('. ')[0]!.replace(/\.$/, '')}.`
}

function ofVintage(vintage: string | null): string {
  return vintage === null ? '' : `, data of ${vintage}`
}

/** A text that begins a sentence. */
export function capital(text: string): string {
  return text === '' ? '' : text[0]!.toUpperCase() + text.slice(1)
}
