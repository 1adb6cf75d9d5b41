import type { Catalog } from '../../catalog/catalog.ts'
import { splitWords, stemOf } from './words.ts'

/** The fields of a phrase. It names them, only suggests them, or no field answers it and these are related. */
export type Topic = { fields: string[]; kind: 'names' | 'suggests' | 'related' }

/** Returns the phrases that people use, each with its topic. */
export function topicsOf({ synonyms, looseSynonyms, relatedFields }: Catalog): [phrase: string, topic: Topic][] {
  return [
    ...[...synonyms].map(([phrase, fields]): [string, Topic] => [
      phrase,
      { fields, kind: looseSynonyms.has(phrase) ? 'suggests' : 'names' },
    ]),
    ...[...relatedFields].map(([phrase, fields]): [string, Topic] => [phrase, { fields, kind: 'related' }]),
  ]
}

/** Returns all words of the catalog and their stems. */
export function vocabularyOf({ fields, presets, synonyms, relatedFields }: Catalog): Set<string> {
  const texts = [
    ...synonyms.keys(),
    ...relatedFields.keys(),
    ...[...presets.values()].flatMap(({ phrases = [] }) => phrases),
    ...[...fields.values()].flatMap(({ name, description }) => [name.replaceAll('_', ' '), description]),
  ]
  return new Set(texts.flatMap(splitWords).flatMap((word) => [word, stemOf(word)]))
}

/** Returns the synonyms of each field, without those that only suggest it. */
export function phrasesByField({ synonyms, looseSynonyms }: Catalog): Map<string, string[]> {
  const byField = new Map<string, string[]>()
  for (const [phrase, names] of synonyms)
    if (!looseSynonyms.has(phrase)) for (const name of names) byField.set(name, [...(byField.get(name) ?? []), phrase])
  return byField
}
