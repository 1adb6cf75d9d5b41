import type { Catalog } from '../catalog/catalog.ts'
import { openFieldSearch } from '../catalog/field-search.ts'
import { attributeFieldsOf } from './attribute-fields.ts'
import { companionFieldsOf, keywordsOf } from './field-keywords.ts'
import { markExcludedWords } from './exclusions.ts'
import { placeNamesIn } from './place-names.ts'
import { planOf, planFieldsMax, type Plan } from './plan.ts'
import { createSpellingCorrector } from './spelling.ts'
import { createPhraseFinder, type PhraseMatch } from './phrase-finder.ts'
import { isContentWord, stemOf, splitWords } from './words.ts'

/** Plans without a model: by phrases that people use, by field names, and by full-text search for the rest. */
export type BuiltInPlanner = { plan(question: string): Plan; close(): void }

/** How many search results are used for words that no phrase covers, and when there is nothing else. */
const additionalResultsMax = 4
const onlyResultsMax = 8

/** Indexes a catalog once, so that planning a question takes milliseconds. */
export function openBuiltInPlanner(catalog: Catalog): BuiltInPlanner {
  const search = openFieldSearch(catalog)
  const findPhrases = createPhraseFinder(catalog.synonyms)
  const findPresets = createPhraseFinder(
    [...catalog.presets].flatMap(([preset, { phrases: presetPhrases = [] }]) =>
      presetPhrases.map((phrase): [string, string] => [phrase, preset]),
    ),
  )
  const fieldKeywords = [...catalog.fields.keys()]
    .map((name) => ({ name, keywords: keywordsOf(name) }))
    .filter(({ keywords }) => keywords.length > 0)
  const vocabulary = vocabularyOf(catalog)
  const correctSpelling = createSpellingCorrector(vocabulary)
  return { plan: planQuestion, close: search.close }

  function planQuestion(question: string): Plan {
    const placeNames = placeNamesIn(question)
    const words = splitWords(question).map((word, i) => (isWithin(i, placeNames) ? word : correctSpelling(word)))
    const excluded = markExcludedWords(words)
    const isIncluded = ({ from }: PhraseMatch<unknown>) => !excluded[from]
    const presetMatches = findPresets(words).filter((it) => isIncluded(it) && !isAboutOneHazard(words, it))
    const phraseMatches = findPhrases(words).filter(
      ({ from, to }) =>
        !presetMatches.some((it) => it.from <= from && it.to >= to && it.to - it.from > to - from) &&
        !placeNames.some((it) => it.from < to && it.to > from && (it.from < from || it.to > to)),
    )
    const includedWords = words.filter((_, i) => !excluded[i] && !isWithin(i, placeNames))
    const phraseFields = phraseMatches.filter(isIncluded).map(({ value: phraseFields }) => phraseFields)
    const namedFields = fieldsNamedIn(includedWords)
    const unmatchedWords = words.filter(
      (word, i) =>
        !excluded[i] &&
        isContentWord(word) &&
        !isWithin(i, [...phraseMatches, ...presetMatches, ...placeNames]) &&
        !namedFields.some(({ keywords }) => keywords.includes(stemOf(word))),
    )
    const isSure = phraseFields.length + presetMatches.length + namedFields.length > 0
    const excludedFields = new Set(
      phraseMatches
        .filter((topic) => !isIncluded(topic))
        .flatMap(({ value: phraseFields }) => phraseFields)
        .filter((name) => !phraseFields.flat().includes(name)),
    )
    const searchResults =
      isSure || isCatalogVocabulary(unmatchedWords)
        ? search.find(unmatchedWords, isSure ? additionalResultsMax : onlyResultsMax)
        : []
    const groups = [
      ...phraseFields.map(withCompanions),
      attributeFieldsOf(includedWords, phraseFields.flat(), catalog.fields.keys()),
      ...namedFields.map(({ name }) => [name]),
      ...countFieldsOf(includedWords, phraseFields.flat()),
    ]
    const preset = presetMatches[0]?.value ?? null
    const names = [
      ...roundRobin(groups),
      ...(isSure && presetMatches.length > 0 ? [] : searchResults),
      ...presetMatches.flatMap(({ value: phraseFields }) => catalog.presets.get(phraseFields)!.fields),
    ].filter((name) => !excludedFields.has(name))
    const plan = planOf(names, { preset, isSure, reasoning: '' }, catalog)
    return {
      ...plan,
      reasoning: reasoningOf(
        plan,
        phraseMatches.filter(isIncluded).map(({ from, to }) => words.slice(from, to).join(' ')),
        unmatchedWords,
      ),
    }
  }

  /** Whether most of the words occur in the catalog. Otherwise a single match is a coincidence. */
  function isCatalogVocabulary(words: string[]): boolean {
    return words.filter((word) => vocabulary.has(stemOf(word))).length * 2 > words.length
  }

  /** Returns the fields whose keywords are all in the question, the most specific first. */
  function fieldsNamedIn(words: string[]): { name: string; keywords: string[] }[] {
    const stems = new Set(words.map(stemOf))
    return fieldKeywords
      .filter(({ keywords }) => keywords.length > 1 && keywords.every((word) => stems.has(word)))
      .toSorted((a, b) => b.keywords.length - a.keywords.length)
      .slice(0, planFieldsMax)
  }

  function withCompanions(names: string[]): string[] {
    return [...new Set(names.flatMap((name) => [name, ...companionFieldsOf(name, (it) => catalog.fields.has(it))]))]
  }

  /** For "how many", returns the count fields of the subject. */
  function countFieldsOf(words: string[], names: string[]): string[][] {
    const text = words.join(' ')
    if (!/\b(?:how many|number of|count of)\b/.test(text)) return []
    const found = search
      .find(words.filter(isContentWord), planFieldsMax)
      .filter((name) => /_count$|population/.test(name) && !names.includes(name))
    return [found.slice(0, 2)]
  }
}

/** Whether a survey word names a single hazard: "safe from storm surge". */
function isAboutOneHazard(words: string[], { from, to }: PhraseMatch<string>): boolean {
  return (
    to - from === 1 &&
    /^(?:safe|safety|danger|hazard|threat)s?$/.test(words[from]!) &&
    /^(?:from|of|for)$/.test(words[to] ?? '')
  )
}

function vocabularyOf({ fields, presets, synonyms }: Catalog): Set<string> {
  const texts = [
    ...synonyms.keys(),
    ...[...presets.values()].flatMap(({ phrases = [] }) => phrases),
    ...[...fields.values()].flatMap(({ name, description }) => [name.replaceAll('_', ' '), description]),
  ]
  return new Set(texts.flatMap(splitWords).flatMap((word) => [word, stemOf(word)]))
}

function isWithin(at: number, spans: { from: number; to: number }[]): boolean {
  return spans.some(({ from, to }) => at >= from && at < to)
}

/** Takes the first of every group, then the second, and so on, so that no topic crowds out another. */
function roundRobin(groups: string[][]): string[] {
  const longest = Math.max(0, ...groups.map(({ length }) => length))
  return Array.from({ length: longest }, (_, round) => groups.flatMap((group) => group.slice(round, round + 1))).flat()
}

function reasoningOf({ fields, preset }: Plan, phrases: string[], unmatchedWords: string[]): string {
  if (fields.length === 0) return 'No field in the catalog matches the words of the question.'
  const methods = [
    ...(phrases.length > 0 ? [`the phrases ${[...new Set(phrases)].map((it) => `"${it}"`).join(', ')}`] : []),
    ...(preset === null ? [] : [`the preset ${preset}`]),
    ...(unmatchedWords.length > 0
      ? [`full-text search for ${[...new Set(unmatchedWords)].map((it) => `"${it}"`).join(', ')}`]
      : []),
  ]
  return `Planned without a model, from ${methods.length > 0 ? methods.join('; ') : 'field names'}.`
}
