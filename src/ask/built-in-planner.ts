import type { Catalog } from '../catalog/catalog.ts'
import type { CatalogSearch } from '../store/catalog-search.ts'
import { openFieldSearch } from '../catalog/field-search.ts'
import { attributeFieldsOf } from './attribute-fields.ts'
import { companionFieldsOf, keywordsOf } from './field-keywords.ts'
import { markExcludedWords } from './exclusions.ts'
import { placeNamesIn } from './place-names.ts'
import { planOf, planFieldsMax, type Plan } from './plan.ts'
import { createSpellingCorrector, type SpellingCorrector } from './spelling.ts'
import { createPhraseFinder, type PhraseFinder, type PhraseMatch } from './phrase-finder.ts'
import { isContentWord, stemOf, splitWords } from './words.ts'

/** How many search results are used for words that no phrase covers, and when there is nothing else. */
const additionalResultsMax = 4
const onlyResultsMax = 8

/** Plans without a model: by phrases that people use, by field names, and by full-text search for the rest. */
export class BuiltInPlanner {
  readonly #catalog: Catalog
  readonly #search: CatalogSearch
  readonly #findPhrases: PhraseFinder<string[]>
  readonly #findPresets: PhraseFinder<string>
  readonly #fieldKeywords: { name: string; keywords: string[] }[]
  readonly #vocabulary: ReadonlySet<string>
  readonly #correctSpelling: SpellingCorrector

  /** Indexes a catalog once, so that planning a question takes milliseconds. */
  constructor(catalog: Catalog) {
    this.#catalog = catalog
    this.#search = openFieldSearch(catalog)
    this.#findPhrases = createPhraseFinder(catalog.synonyms)
    this.#findPresets = createPhraseFinder(
      [...catalog.presets].flatMap(([preset, { phrases = [] }]) =>
        phrases.map((phrase): [string, string] => [phrase, preset]),
      ),
    )
    this.#fieldKeywords = [...catalog.fields.keys()]
      .map((name) => ({ name, keywords: keywordsOf(name) }))
      .filter(({ keywords }) => keywords.length > 0)
    this.#vocabulary = vocabularyOf(catalog)
    this.#correctSpelling = createSpellingCorrector(this.#vocabulary)
  }

  close(): void {
    this.#search.close()
  }

  plan(question: string): Plan {
    const placeNames = placeNamesIn(question)
    const words = splitWords(question).map((word, i) => (isWithin(i, placeNames) ? word : this.#correctSpelling(word)))
    const excluded = markExcludedWords(words)
    const isIncluded = ({ from }: PhraseMatch<unknown>) => !excluded[from]
    const presetMatches = this.#findPresets(words).filter((it) => isIncluded(it) && !isAboutOneHazard(words, it))
    const phraseMatches = this.#findPhrases(words).filter(
      ({ from, to }) =>
        !presetMatches.some((it) => it.from <= from && it.to >= to && it.to - it.from > to - from) &&
        !placeNames.some((it) => it.from < to && it.to > from && (it.from < from || it.to > to)),
    )
    const includedWords = words.filter((_, i) => !excluded[i] && !isWithin(i, placeNames))
    const phraseFields = phraseMatches.filter(isIncluded).map(({ value: phraseFields }) => phraseFields)
    const namedFields = this.#fieldsNamedIn(includedWords)
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
      isSure || this.#isCatalogVocabulary(unmatchedWords)
        ? this.#search.find(unmatchedWords, isSure ? additionalResultsMax : onlyResultsMax)
        : []
    const groups = [
      ...phraseFields.map((names) => this.#withCompanions(names)),
      attributeFieldsOf(includedWords, phraseFields.flat(), this.#catalog.fields.keys()),
      ...namedFields.map(({ name }) => [name]),
      ...this.#countFieldsOf(includedWords, phraseFields.flat()),
    ]
    const preset = presetMatches[0]?.value ?? null
    const names = [
      ...roundRobin(groups),
      ...(isSure && presetMatches.length > 0 ? [] : searchResults),
      ...presetMatches.flatMap(({ value: phraseFields }) => this.#catalog.presets.get(phraseFields)!.fields),
    ].filter((name) => !excludedFields.has(name))
    const plan = planOf(names, { preset, isSure, reasoning: '' }, this.#catalog)
    return {
      ...plan,
      reasoning: reasoningOf(
        plan,
        phraseMatches.filter(isIncluded).map(({ from, to }) => words.slice(from, to).join(' ')),
        unmatchedWords,
      ),
    }
  }

  /** Whether most of the words occur in the this.#catalog. Otherwise a single match is a coincidence. */
  #isCatalogVocabulary(words: string[]): boolean {
    return words.filter((word) => this.#vocabulary.has(stemOf(word))).length * 2 > words.length
  }

  /** Returns the fields whose keywords are all in the question, the most specific first. */
  #fieldsNamedIn(words: string[]): { name: string; keywords: string[] }[] {
    const stems = new Set(words.map(stemOf))
    return this.#fieldKeywords
      .filter(({ keywords }) => keywords.length > 1 && keywords.every((word) => stems.has(word)))
      .toSorted((a, b) => b.keywords.length - a.keywords.length)
      .slice(0, planFieldsMax)
  }

  #withCompanions(names: string[]): string[] {
    return [
      ...new Set(names.flatMap((name) => [name, ...companionFieldsOf(name, (it) => this.#catalog.fields.has(it))])),
    ]
  }

  /** For "how many", returns the count fields of the subject. */
  #countFieldsOf(words: string[], names: string[]): string[][] {
    const text = words.join(' ')
    if (!/\b(?:how many|number of|count of)\b/.test(text)) return []
    const found = this.#search
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
