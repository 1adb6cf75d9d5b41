import type { Catalog } from '../../catalog/catalog.ts'
import type { Field } from '../../catalog/records.ts'
import type { CatalogSearch } from '../../store/sqlite/catalog-search.ts'
import { openFieldSearch } from '../../catalog/field-search.ts'
import { attributeFieldsOf } from './attribute-fields.ts'
import { isBilledField, namesParcel } from './billed-fields.ts'
import { coverageOf, type Coverage, type MainWord } from '../answer/coverage.ts'
import { companionFieldsOf, keywordsOf } from './field-keywords.ts'
import { planOf, planFieldsMax, type Plan } from './plan.ts'
import { asksForOtherFields } from './question-form.ts'
import { contentWordsOf, isWithin, mainWordsOf, readQuestion, type QuestionReading } from './question-reading.ts'
import type { TownFinder } from '../../place/town-finder.ts'
import type { EnglishWordCheck } from '../../place/english-words.ts'
import { nounsIn, unansweredQualifiers, withQualifiers } from './qualifiers.ts'
import { createSpellingCorrector, type SpellingCorrector } from './spelling.ts'
import { phrasesByField, topicsOf, vocabularyOf, type Topic } from './topics.ts'
import { createPhraseFinder, type PhraseFinder, type PhraseMatch } from './phrase-finder.ts'
import { isContentWord, rootOf, stemOf, splitWords, stopWords } from './words.ts'

/** Words that say where, and do not name what a question is about. */
const placeKinds = new Set('city town village county state place neighborhood community metro'.split(' '))

/** How many search results are used for words that no phrase covers, and when there is nothing else. */
const additionalResultsMax = 4
const onlyResultsMax = 8
const relatedMax = 3

/** The phrases of a question, the fields that it names, and the fields of its excluded topics. */
type Matches = {
  presets: PhraseMatch<string>[]
  topics: PhraseMatch<Topic>[]
  related: PhraseMatch<Topic>[]
  namedFields: { name: string; keywords: string[] }[]
  excludedFields: ReadonlySet<string>
}

/** `added`: those that a full-text search found beside the topics. `isSearch`: all of them come from a search. */
type ChosenFields = { names: string[]; added: string[]; preset: string | null; isSearch: boolean }

/** Plans without a model: by phrases that people use, by field names, and by full-text search for the rest. */
export class BuiltInPlanner {
  readonly #catalog: Catalog
  readonly #search: CatalogSearch
  readonly #findTopics: PhraseFinder<Topic>
  readonly #findPresets: PhraseFinder<string>
  readonly #fieldKeywords: { name: string; keywords: string[] }[]
  readonly #phrasesByField: ReadonlyMap<string, string[]>
  readonly #vocabulary: ReadonlySet<string>
  readonly #correctSpelling: SpellingCorrector
  readonly #isEnglishWord: EnglishWordCheck

  /** Indexes a catalog once, so that planning a question takes milliseconds. */
  constructor(catalog: Catalog, isEnglishWord: EnglishWordCheck) {
    this.#catalog = catalog
    this.#isEnglishWord = isEnglishWord
    this.#search = openFieldSearch(catalog)
    this.#findTopics = createPhraseFinder(topicsOf(catalog))
    this.#findPresets = createPhraseFinder(
      [...catalog.presets].flatMap(([preset, { phrases = [] }]) =>
        phrases.map((phrase): [string, string] => [phrase, preset]),
      ),
    )
    this.#fieldKeywords = [...catalog.fields.keys()]
      .map((name) => ({ name, keywords: keywordsOf(name) }))
      .filter(({ keywords }) => keywords.length > 0)
    this.#vocabulary = vocabularyOf(catalog)
    this.#phrasesByField = phrasesByField(catalog)
    this.#correctSpelling = createSpellingCorrector([...this.#vocabulary, ...stopWords], isEnglishWord)
  }

  close(): void {
    this.#search.close()
  }

  /** Plans a question. `findTown` tells names of towns from other names. */
  plan(question: string, findTown: TownFinder = () => null): Plan {
    const reading = readQuestion(question, {
      correct: this.#correctSpelling,
      findTown,
      isEnglishWord: this.#isEnglishWord,
    })
    const { words, places, corrections } = reading
    const matches = this.#match(reading)
    const isMatched = (i: number) =>
      isWithin(i, [...matches.topics, ...matches.presets]) ||
      matches.namedFields.some(({ keywords }) => keywords.includes(stemOf(words[i]!)))
    const unmatchedWords = contentWordsOf(reading)
      .filter((i) => !isMatched(i) && !isWithin(i, matches.related))
      .map((i) => words[i]!)
    const chosen = this.#chooseFields(reading, matches, unmatchedWords)
    const names = chosen.names.filter((name) => !matches.excludedFields.has(name) && this.#mayBill(name, words))
    const coverage = this.#coverageOf(reading, { ...chosen, names }, matches)
    const found = { places, corrections, unknownWords: coverage.unknownWords }
    if (names.length === 0 || coverage.relevance === null) {
      const related = this.#relatedFields(matches, names, unmatchedWords)
      const reasoning = 'No field in the catalog matches the main words of the question.'
      return planOf([], { ...found, preset: null, relevance: 'low', related, reasoning }, this.#catalog)
    }
    const phrases = matches.topics.map(({ from, to }) => words.slice(from, to).join(' '))
    const reasoning = reasoningOf(chosen.preset, phrases, unmatchedWords)
    return planOf(names, { ...found, preset: chosen.preset, relevance: coverage.relevance, reasoning }, this.#catalog)
  }

  /** Finds phrases and field names. A phrase of a topic inside a longer one of a preset does not count. */
  #match({ words, excluded, places }: QuestionReading): Matches {
    const isIncluded = ({ from }: PhraseMatch<unknown>) => !excluded[from]
    const presets = this.#findPresets(words).filter((it) => isIncluded(it) && !isAboutOneHazard(words, it))
    const all = this.#findTopics(words).filter(
      ({ from, to }) =>
        !presets.some((it) => it.from <= from && it.to >= to && it.to - it.from > to - from) &&
        !places.some((it) => it.from < to && it.to > from && (it.from < from || it.to > to)),
    )
    const included = all.filter(isIncluded)
    const topics = included.filter(({ value }) => value.kind !== 'related')
    const names = new Set(topics.flatMap(({ value }) => value.fields))
    const excludedFields = new Set(
      all
        .filter((topic) => !isIncluded(topic))
        .flatMap(({ value }) => value.fields)
        .filter((name) => !names.has(name)),
    )
    const namedFields = this.#fieldsNamedIn(words.filter((_, i) => !excluded[i] && !isWithin(i, places)))
    const related = included.filter(({ value }) => value.kind === 'related')
    return { presets, topics, related, namedFields, excludedFields }
  }

  /**
   * Chooses the preset, or the topics. A preset with more than `planFieldsMax` members leaves no room for topics, so
   * topics win over it, and its members only fill the rest. Without both, chooses fields that contain all words by
   * full-text search.
   */
  #chooseFields(reading: QuestionReading, matches: Matches, unmatchedWords: string[]): ChosenFields {
    const { presets, topics } = matches
    const topicFields = roundRobin(this.#fieldGroupsOf(reading, matches))
    const preset = this.#presetOf(presets)
    const members = preset === null ? [] : this.#catalog.presets.get(preset)!.fields
    if (preset !== null) {
      const hasOwnTopic = topics.some((it) => !presets.some(({ from, to }) => from <= it.from && to >= it.to))
      if (members.length <= planFieldsMax)
        return { names: [...members, ...topicFields], added: [], preset, isSearch: false }
      if (!hasOwnTopic) return { names: members.slice(0, planFieldsMax), added: [], preset, isSearch: false }
    }
    if (topicFields.length > 0) {
      const words = unmatchedWords.filter((word) => this.#vocabulary.has(stemOf(word)))
      const isSpecial = preset !== null && this.#catalog.presets.get(preset)!.is_overview !== true
      const added = isSpecial ? [] : this.#search.find(words, additionalResultsMax)
      return { names: [...topicFields, ...added, ...(isSpecial ? members : [])], added, preset: null, isSearch: false }
    }
    const roots = unmatchedWords.map(rootOf)
    const names = this.#search
      .find(unmatchedWords, onlyResultsMax)
      .filter((name) => this.#rootsOf([name]).isSupersetOf(new Set(roots)))
    return { names, added: [], preset: null, isSearch: true }
  }

  /** Returns the fields of each topic, for the attributes that the question asks for. */
  #fieldGroupsOf({ words, excluded, places }: QuestionReading, { topics, namedFields }: Matches): string[][] {
    const includedWords = words.filter((_, i) => !excluded[i] && !isWithin(i, places))
    const topicFields = topics.flatMap(({ value }) => value.fields)
    return [
      ...topics.map(({ value }) => this.#withCompanions(value.fields)),
      attributeFieldsOf(includedWords, topicFields, this.#catalog.fields.keys()),
      ...namedFields.map(({ name }) => [name]),
      ...this.#countFieldsOf(includedWords, topicFields),
    ]
  }

  /** Returns the preset that a question asks for: a special one before an overview, the longest phrase first. */
  #presetOf(matches: PhraseMatch<string>[]): string | null {
    const isOverview = ({ value }: PhraseMatch<string>) => this.#catalog.presets.get(value)!.is_overview === true
    const [best] = matches.toSorted(
      (a, b) => Number(isOverview(a)) - Number(isOverview(b)) || b.to - b.from - (a.to - a.from),
    )
    return best?.value ?? null
  }

  /** Returns how well the fields cover the question. */
  #coverageOf(
    reading: QuestionReading,
    { names, added, isSearch }: ChosenFields,
    { topics, presets, namedFields }: Matches,
  ): Coverage {
    const { words, aside } = reading
    const named = [...topics.filter(({ value }) => value.kind === 'names'), ...presets]
    const mainWords = mainWordsOf(reading).map((i): MainWord => {
      const isNamed = isWithin(i, named) || namedFields.some(({ keywords }) => keywords.includes(stemOf(words[i]!)))
      return {
        word: words[i]!,
        match: isNamed ? 'named' : isWithin(i, topics) ? 'suggested' : null,
        isAside: aside[i]!,
      }
    })
    const fields = names.slice(0, planFieldsMax)
    const roots = {
      topics: this.#rootsOf(fields.filter((name) => !added.includes(name))),
      added: this.#rootsOf(fields.filter((name) => added.includes(name))),
    }
    const coverage = coverageOf(mainWords, roots, topics.length + presets.length > 0)
    const namesTopic =
      namedFields.length > 0 ||
      presets.some(({ value }) => this.#catalog.presets.get(value)!.is_overview !== true) ||
      topics.some(({ from, to, value }) => value.kind === 'names' && (to - from > 1 || !placeKinds.has(words[from]!)))
    const isBeside = !namesTopic && !isSearch && coverage.unknownWords.length >= coverage.known
    const chosen = fields.map((name) => this.#catalog.fields.get(name)!)
    const isUnclear = isSearch && mainWords.length === 0
    if (coverage.relevance === null || isBeside || isUnclear || asksForOtherFields(words, chosen))
      return { ...coverage, relevance: null }
    if (named.length + namedFields.length === 0 && !isSearch) return { ...coverage, relevance: 'low' }
    if (!isSearch) {
      const nouns = nounsIn(topics, fields, (it) => this.#nameWordsOf(this.#withCompanions(it)))
      const others = namedFields.flatMap(({ name, keywords }) => (name.startsWith('nearest_') ? [] : keywords))
      return withQualifiers(coverage, unansweredQualifiers(reading, nouns, topics, others))
    }
    const nameRoots = new Set(splitWords((fields[0] ?? '').replaceAll('_', ' ')).map(rootOf))
    const isNameOfField = mainWords.length > 1 && mainWords.every(({ word }) => nameRoots.has(rootOf(word)))
    return { ...coverage, relevance: isNameOfField ? 'medium' : 'low' }
  }

  /** Whether a field may be read: a billed one only when the question names the parcel, its owner or its zoning. */
  #mayBill(name: string, words: string[]): boolean {
    return !isBilledField(this.#catalog.fields.get(name)!, this.#catalog) || namesParcel(words)
  }

  /** Returns the roots of all words that describe fields: in names, descriptions, hints and synonyms. */
  #rootsOf(names: string[]): Set<string> {
    const fields = names.map((name) => this.#catalog.fields.get(name)!)
    const texts = fields.flatMap((it) => [it.description, it.layer.replaceAll('_', ' '), it.interpretation_hints])
    return new Set([...texts.flatMap(splitWords), ...this.#nameWordsOf(names)].map(rootOf))
  }

  /** Returns the words that name fields. A description also has words that its field does not answer. */
  #nameWordsOf(names: string[]): string[] {
    const spoken = names.map((name) => this.#catalog.fields.get(name)!.spoken ?? '')
    const texts = names.flatMap((name) => [name.replaceAll('_', ' '), ...(this.#phrasesByField.get(name) ?? [])])
    return [...texts, ...spoken].flatMap(splitWords)
  }

  /** Returns fields near the subject of a question that no field answers. */
  #relatedFields({ related }: Matches, names: string[], words: string[]): Field[] {
    const found = [...related.flatMap(({ value }) => value.fields), ...names]
    return [...new Set(found.length > 0 ? found : this.#search.find(words, relatedMax))]
      .filter((name) => this.#mayBill(name, []))
      .slice(0, relatedMax)
      .map((name) => this.#catalog.fields.get(name)!)
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
    const has = (name: string) => this.#catalog.fields.has(name)
    return [...new Set(names.flatMap((name) => [name, ...companionFieldsOf(name, has)]))]
  }

  /** For "how many", returns the count fields of the subject. */
  #countFieldsOf(words: string[], names: string[]): string[][] {
    if (!/\b(?:how many|number of|count of)\b/.test(words.join(' '))) return []
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

/** Takes the first of every group, then the second, and so on, so that no topic crowds out another. */
function roundRobin(groups: string[][]): string[] {
  const longest = Math.max(0, ...groups.map(({ length }) => length))
  return Array.from({ length: longest }, (_, round) => groups.flatMap((group) => group.slice(round, round + 1))).flat()
}

function reasoningOf(preset: string | null, phrases: string[], unmatchedWords: string[]): string {
  if (preset !== null) return `Planned without a model, from the preset ${preset}.`
  const quoted = (texts: string[]) => [...new Set(texts)].map((it) => `"${it}"`).join(', ')
  const methods = phrases.length > 0 ? [`the phrases ${quoted(phrases)}`] : []
  if (unmatchedWords.length > 0) methods.push(`full-text search for ${quoted(unmatchedWords)}`)
  return `Planned without a model, from ${methods.join('; ') || 'field names'}.`
}
